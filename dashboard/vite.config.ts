import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { getConfig } from '@lingui/conf';
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Beside each text file of the build its brotli form: the service sends that where the browser takes it. */
function brotli(): Plugin {
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
  return {
    name: 'brotli',
    apply: 'build',
    // Of the written files: until then other plugins still change them.
    async writeBundle({ dir = '' }, bundle) {
      const files = Object.keys(bundle).filter((name) => /\.(js|css|html|svg)$/.test(name));
      for (const file of files.map((name) => join(dir, name))) {
        await writeFile(`${file}.br`, brotliCompressSync(await readFile(file), { params }));
      }
    },
  };
}

const texts = getConfig({ cwd: import.meta.dirname });
const service = process.env['HOOKWRIGHT_URL'] ?? 'http://localhost:3000';

export default defineConfig({
  root: import.meta.dirname,
  base: '/dashboard/',
  plugins: [
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
    lingui({ failOnMissing: process.env['CI'] === 'true', cwd: import.meta.dirname }),
    tailwindcss(),
    brotli(),
  ],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: { input: { portal: 'portal.html', console: 'console.html' } },
  },
  server: {
    proxy: {
      '/graphql': service,
      '/portal': {
        target: service,
        bypass: ({ method }) => (method === 'GET' ? '/dashboard/portal.html' : undefined),
      },
      '/console': {
        target: service,
        bypass: ({ method }) => (method === 'GET' ? '/dashboard/console.html' : undefined),
      },
    },
  },
});
