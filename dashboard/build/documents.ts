import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plugin } from 'vite';

/** Written by `npm run dashboard:documents`: the text of each document, with the fragments that it uses. */
const TEXTS = join(import.meta.dirname, '../api/generated/persisted-documents.json');

const IMPORT = /import { graphql } from '[./]*api\/generated';/;
const CALL = /\bgraphql\(`([^`]*)`\)/g;
const OPERATION = /(?:^|[\s}])(?:query|mutation|subscription)\s+(\w+)\s*[({]/;

/**
 * Puts the text of each document where it is used. The generated module has all of them as syntax trees: with it every
 * first screen would load, and read, the documents of all screens.
 */
export function documentTexts(): Plugin {
  let texts = new Map<string, string>();
  return {
    name: 'document-texts',
    enforce: 'pre',
    async buildStart() {
      const all = Object.values(JSON.parse(await readFile(TEXTS, 'utf8')) as Record<string, string>);
      texts = new Map(all.map((text) => [nameOf(text) ?? '', text]));
    },
    transform: {
      filter: { id: { include: /\.tsx?$/, exclude: /[\\/]generated[\\/]/ }, code: 'graphql(`' },
      handler(code) {
        const replaced = code.replace(IMPORT, '').replaceAll(CALL, (_call, source: string) => {
          const name = nameOf(source);
          const text = name === undefined ? '' : texts.get(name); // fragments are in the documents that use them
          if (text === undefined) {
            this.error(`The document ${name} is not among the generated ones: npm run dashboard:documents`);
          }
          // As many lines as before, so that the places in the file stay.
          return (text === '' ? 'undefined' : JSON.stringify(text)) + '\n'.repeat(source.split('\n').length - 1);
        });
        return { code: replaced, map: null };
      },
    },
  };
}

const nameOf = (source: string): string | undefined => OPERATION.exec(source)?.[1];
