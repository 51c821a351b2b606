import { brotliCompressSync, constants } from 'node:zlib';
import { getConfig } from '@lingui/conf';
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** Beside each text file of the build its brotli form: the service sends that where the browser takes it. */
function brotli(): Plugin {
  return {
    name: 'brotli',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        const text = file.type === 'chunk' ? file.code : file.source;
        if (/\.(js|css|html|svg)$/.test(fileName) && text.length > 1024) {
          const source = brotliCompressSync(text, {
            params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
          });
          this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source });
        }
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
