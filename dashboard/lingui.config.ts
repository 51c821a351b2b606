import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';

/** Texts are English in the code; a catalogue for each other language is in text/catalogues/. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['de'],
  catalogs: [{ path: '<rootDir>/text/catalogues/{locale}', include: ['<rootDir>'], exclude: ['**/generated/**'] }],
  // Without line numbers: a text that moves changes no catalogue.
  format: formatter({ lineNumbers: false }),
  orderBy: 'message',
});
