import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUILT_FOLDER } from '../../src/api/dashboard/pages.js';

const EMBED_BYTES_MAX = 3_000;
/** The bytes of scripts and styles until the first screen is still. */
const FIRST_SCREEN_BYTES_MAX = 180_000;
const FIRST_SCREEN_SCRIPTS_MAX = 10;
/** Those before its first figure. */
const FIRST_FIGURE_BYTES_MAX = 150_000;
const FIRST_FIGURE_SCRIPTS_MAX = 8;

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

/** The library of charts, which comes when the first one is shown. */
const CHARTS = Object.keys(manifest).find((name) => name.includes('/uplot/')) ?? '';

describe('what a browser loads', () => {
  test.each([
    ['the portal', 'portal', ['screens/endpoints/list/endpoints.tsx']],
    ['the portal', 'portal', ['screens/overview/overview.tsx', CHARTS]],
    ['the console', 'console', ['screens/installation/installation.tsx', CHARTS]],
  ])('for %s with its first screen is 10 scripts, and 180 KB with the styles', (_, page, sources) => {
    const files = filesOf([`${page}.html`, `${page}/main.tsx`, ...sources]);
    expect([...files].filter((file) => file.endsWith('.js')).length).toBeLessThanOrEqual(FIRST_SCREEN_SCRIPTS_MAX);
    expect([...files].map(sentBytes).reduce((sum, one) => sum + one)).toBeLessThan(FIRST_SCREEN_BYTES_MAX);
  });

  // What a screen imports before it runs. Menus, windows and charts come later.
  test.each([
    ['the overview', 'portal', 'screens/overview/overview.tsx'],
    ['the endpoints', 'portal', 'screens/endpoints/list/endpoints.tsx'],
    ['the deliveries', 'portal', 'screens/deliveries/deliveries.tsx'],
    ['an endpoint', 'portal', 'screens/endpoints/one/endpoint.tsx'],
    ['the console', 'console', 'screens/installation/installation.tsx'],
  ])('for the first figure of %s is 8 scripts, and 150 KB with the styles', (_, page, source) => {
    const files = [...filesOf([`${page}.html`, `${page}/main.tsx`, source])];
    expect(files.filter((file) => file.endsWith('.js')).length).toBeLessThanOrEqual(FIRST_FIGURE_SCRIPTS_MAX);
    expect(files.map(sentBytes).reduce((sum, one) => sum + one)).toBeLessThan(FIRST_FIGURE_BYTES_MAX);
    expect(files.filter((file) => file.includes('popups'))).toEqual([]);
  });

  test('has texts that are compiled: no page has the parser of messages', () => {
    const scripts = readdirSync(join(BUILT_FOLDER, 'assets')).filter((name) => name.endsWith('.js'));
    const texts = scripts.map((name) => readFileSync(join(BUILT_FOLDER, 'assets', name), 'utf8')).join('');
    expect(texts.match(/id:[`"'][\w-]{6}[`"'],message:\[/g)?.length).toBeGreaterThan(100);
    expect(texts.match(/id:[`"'][\w-]{6}[`"'],message:[`"'][^`"']*\{/g)).toBeNull();
  });

  test('is asked for at once: the HTML names all that its page needs', () => {
    for (const page of ['portal', 'console']) {
      const html = readFileSync(join(BUILT_FOLDER, `${page}.html`), 'utf8');
      for (const file of filesOf([`${page}.html`, `${page}/main.tsx`])) {
        expect(html).toContain(file);
      }
    }
  });

  test('of fonts are the Latin letters of two, in 100 KB, and Inter alone before the styles ask for it', () => {
    const assets = readdirSync(join(BUILT_FOLDER, 'assets'));
    const fonts = assets.filter((name) => name.endsWith('.woff2'));
    expect(fonts.map((name) => name.replace(/-[\w-]{8}\.woff2$/, '')).sort()).toEqual([
      'inter-latin-wght-normal',
      'jetbrains-mono-latin-wght-normal',
    ]);
    expect(fonts.map((name) => sentBytes(`assets/${name}`)).reduce((sum, one) => sum + one)).toBeLessThan(100_000);
    const styles = assets
      .filter((name) => name.endsWith('.css'))
      .map((name) => readFileSync(join(BUILT_FOLDER, 'assets', name), 'utf8'));
    expect(styles.join('').match(/font-display:swap/g)).toHaveLength(2);
    for (const page of ['portal.html', 'console.html']) {
      const preloads = readFileSync(join(BUILT_FOLDER, page), 'utf8').match(/rel="preload"[^>]*woff2"/g);
      expect(preloads).toEqual([expect.stringContaining('/dashboard/assets/inter-latin')]);
    }
  });

  test('for a page that embeds the portal is one script of less than 3 KB, which imports and exports nothing', () => {
    const script = readFileSync(join(BUILT_FOLDER, 'embed.js'), 'utf8');
    expect(Buffer.byteLength(script)).toBeLessThan(EMBED_BYTES_MAX);
    expect(script).not.toMatch(/\b(import|export|require)\b/);
  });
});
