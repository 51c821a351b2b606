import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder with the frameworks and runtimes that only test/compatibility needs. */
export const compatibilityFolder = fileURLToPath(new URL('../compatibility', import.meta.url));

export const isCompatibilityInstalled = (): boolean => existsSync(`${compatibilityFolder}/node_modules`);

/** Where they are not installed people go on without the tests that need them; CI does not. */
export const skipsCompatibilityTests = (): boolean => process.env['CI'] !== 'true' && !isCompatibilityInstalled();

export const COMPATIBILITY_TESTS_SKIPPED =
  'The tests in test/compatibility are skipped. For them: npm ci --prefix test/compatibility --no-audit --no-fund';

/** For `beforeAll`. @throws Error when the frameworks are not installed */
export function requireCompatibilityInstalled(): void {
  if (!isCompatibilityInstalled()) {
    throw new Error(COMPATIBILITY_TESTS_SKIPPED);
  }
}
