import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { getConfig } from '@lingui/conf';
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { build, defineConfig, type Plugin, type Rolldown } from 'vite';
import { askAgainScript } from './build/ask-again.ts';
import { chunks, preloadPages } from './build/chunks.ts';
import { compiledTexts } from './build/compiled-texts.ts';
import { documentTexts } from './build/documents.ts';
import { singleIcons } from './build/single-icons.ts';

const compress = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** Beside each text file of the build its brotli form: the service sends that where the browser takes it. */
function brotli(): Plugin {
  // In the largest blocks, which make large scripts smaller.
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_LGBLOCK]: constants.BROTLI_MAX_INPUT_BLOCK_BITS,
  };
  return {
    name: 'brotli',
    apply: 'build',
    // Of the written files: until then other plugins still change them.
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.keys(bundle).filter((name) => /\.(js|css|html|svg)$/.test(name));
      await Promise.all(
        files.map(async (name) => {
          const file = join(dir, name);
          await writeFile(`${file}.br`, await compress(await readFile(file), { params }));
        }),
      );
    },
  };
}

/** The script for the pages of others: one file, which stands on nothing and leaves nothing but `Hookwright`. */
function embedScript(): Plugin {
  return {
    name: 'embed-script',
    apply: 'build',
    async generateBundle() {
      const built = (await build({
        configFile: false,
        logLevel: 'warn',
        build: {
          write: false,
          target: 'es2022',
          lib: { entry: join(import.meta.dirname, 'embed/embed.ts'), formats: ['iife'], name: 'embed' },
        },
      })) as Rolldown.RolldownOutput[];
      const source = built[0]?.output[0].code ?? '';
      this.emitFile({ type: 'asset', fileName: 'embed.js', source });
    },
  };
}

/** GraphiQL, which the service reads at its first request, comes from a package that it does not need besides. */
function graphiql(): Plugin {
  return {
    name: 'graphiql',
    apply: 'build',
    async generateBundle() {
      const { graphiqlPage } = await import('./build/graphiql-page.ts');
      this.emitFile({ type: 'asset', fileName: 'graphiql.html.gz', source: await compressGzip(graphiqlPage()) });
    },
  };
}

const texts = getConfig({ cwd: import.meta.dirname });
const service = process.env['HOOKWRIGHT_URL'] ?? `http://localhost:${process.env['PORT'] ?? 3000}`;

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  // Files name each other relatively, because the service may be below a path. It puts that path into the pages.
  experimental: { renderBuiltUrl: (_file, { hostType }) => (hostType === 'html' ? undefined : { relative: true }) },
  plugins: [
    documentTexts(),
    singleIcons(),
    react(),
    // The English texts stay in the code, so that a catalogue is loaded for other languages alone.
    babel({
      presets: [
        linguiTransformerBabelPreset(
          { descriptorFields: 'message', linguiConfig: texts },
          { cwd: import.meta.dirname },
        ),
      ],
    }),
    compiledTexts(),
    lingui({ failOnMissing: process.env['CI'] === 'true', cwd: import.meta.dirname }),
    tailwindcss(),
    embedScript(),
    graphiql(),
    preloadPages(),
    askAgainScript(),
    brotli(),
  ],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    manifest: true,
    target: ['chrome111', 'safari16.4', 'firefox128'], // the oldest that Tailwind's styles work in
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { portal: 'portal.html', console: 'console.html' },
      output: { codeSplitting: chunks },
      // How long which plugin takes is not a warning for those who start the service.
      checks: { pluginTimings: false },
    },
  },
  server: {
    port: 5173,
    strictPort: true, // `npm run dev` prints links to it
    proxy: {
      '/graphql': service,
      '/portal': {
        target: service,
        bypass: ({ method, url }) =>
          method !== 'GET'
            ? undefined
            : url === '/portal/embed.js'
              ? '/dashboard/embed/embed.ts'
              : '/dashboard/portal.html',
      },
      '/console': {
        target: service,
        bypass: ({ method }) => (method === 'GET' ? '/dashboard/console.html' : undefined),
      },
    },
  },
});
