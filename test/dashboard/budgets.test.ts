import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUILT_FOLDER } from '../../src/api/dashboard/pages.js';

const EMBED_BYTES_MAX = 3_000;
const FIRST_SCREEN_BYTES_MAX = 180_000;

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

/** As Vite writes it: by source file, what stands where, and needs what. */
const manifest = JSON.parse(readFileSync(join(BUILT_FOLDER, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;

/** As the browser gets it: in brotli, where the build made that. */
function sentBytes(file: string): number {
  const path = join(BUILT_FOLDER, file);
  return statSync(existsSync(`${path}.br`) ? `${path}.br` : path).size;
}

/** The files of these sources, with all that they need before they run. */
function filesOf(sources: readonly string[]): Set<string> {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (name: string) => {
    const chunk = manifest[name];
    if (chunk === undefined) {
      throw new Error(`The build has no ${name}: npm run build makes it`);
    }
    if (!seen.has(name)) {
      seen.add(name);
      for (const file of [chunk.file, ...(chunk.css ?? [])]) {
        files.add(file);
      }
      chunk.imports?.forEach(visit);
    }
  };
  sources.forEach(visit);
  return files;
}

describe('what a browser loads', () => {
  test.each([
    ['the portal', 'portal.html', 'screens/endpoints/endpoints.tsx'],
    ['the portal', 'portal.html', 'screens/overview/overview.tsx'],
    ['the console', 'console.html', 'screens/installation/installation.tsx'],
  ])('for %s with its first screen is %s and %s, in 180 KB', (_, page, screen) => {
    const bytes = [page, ...filesOf([page, screen])].map(sentBytes).reduce((sum, one) => sum + one);
    expect(bytes).toBeLessThan(FIRST_SCREEN_BYTES_MAX);
  });

  test('for a page that embeds the portal is one script of less than 3 KB, which imports and exports nothing', () => {
    const script = readFileSync(join(BUILT_FOLDER, 'embed.js'), 'utf8');
    expect(Buffer.byteLength(script)).toBeLessThan(EMBED_BYTES_MAX);
    expect(script).not.toMatch(/\b(import|export|require)\b/);
  });
});
