import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { settings } from '../../src/platform/settings/settings.js';

/** A start without the rehearsal and an end without a pause, unless a test sets these. */
export const SOON = { REHEARSAL: 'false', SHUTDOWN_DELAY_MS: '0' };

/**
 * Starts the built program (`npm test` builds it) as an operator does, with these settings and none that are inherited.
 *
 * @param options.program what is started in its place, such as npm
 */
export function startProgram(
  args: readonly string[],
  set: Readonly<Record<string, string>>,
  { program = './hookwright', ...options }: { program?: string; detached?: boolean; cwd?: string } = {},
): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !(name in settings));
  return spawn(program, args, {
    env: { ...Object.fromEntries(inherited), ...SOON, ...set },
    ...options,
  });
}

/** Everything that it writes, as far as it has got. */
export function heard(child: ChildProcess): { output: string; errors: string } {
  const said = { output: '', errors: '' };
  child.stdout!.on('data', (chunk) => {
    said.output += chunk;
  });
  child.stderr!.on('data', (chunk) => {
    said.errors += chunk;
  });
  return said;
}

/** Runs it to its end. @param options of startProgram */
export async function runProgram(
  args: readonly string[],
  set: Readonly<Record<string, string>>,
  options: Parameters<typeof startProgram>[2] = {},
) {
  const child = startProgram(args, set, options);
  const said = heard(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...said };
}
