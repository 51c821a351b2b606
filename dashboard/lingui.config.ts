import { defineConfig } from '@lingui/cli';

/** Texts stand in English in the code; a catalogue for each other language stands in text/. */
export default defineConfig({
  sourceLocale: 'en',
  locales: ['en', 'de'],
  catalogs: [{ path: '<rootDir>/text/{locale}', include: ['<rootDir>'], exclude: ['**/generated/**'] }],
  orderBy: 'message',
});
