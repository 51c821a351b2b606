import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefinitionNode, Kind, parse, print, stripIgnoredCharacters, visit } from 'graphql';
import type { Plugin } from 'vite';
import { endpointFragments } from './endpoint-fragments.js';

const ROOT = join(import.meta.dirname, '..');
const GENERATED = /[\\/]generated[\\/]/;

const IMPORT = /import { graphql } from '[./]*api\/generated';/;
const CALL = /\bgraphql\(`([^`]*)`\)/g;
const OPERATION = /(?:^|[\s}])(?:query|mutation|subscription)\s+(\w+)\s*[({]/;

/** The text of each document in the sources, with the fragments that it uses, by its name. */
export function readDocuments(): Map<string, string> {
  const files = globSync('**/*.{ts,tsx}', { cwd: ROOT }).filter((file) => !GENERATED.test(`/${file}`));
  const sources = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(CALL)].map(([, source = '']) => source),
  );
  const definitions = [...endpointFragments, ...sources].flatMap((source) => parse(source).definitions);
  const fragments = new Map(
    definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
  const operations = definitions.flatMap((one) => (one.kind === Kind.OPERATION_DEFINITION ? [one] : []));
  return new Map(
    operations.map((operation) => {
      const text = [operation, ...fragmentsOf(operation, fragments)].map(print).join('\n');
      return [operation.name?.value ?? '', stripIgnoredCharacters(text)];
    }),
  );
}

/** The fragments that a definition spreads, and those that these spread. */
function fragmentsOf(
  definition: DefinitionNode,
  fragments: ReadonlyMap<string, DefinitionNode>,
  found = new Set<DefinitionNode>(),
): Set<DefinitionNode> {
  visit(definition, {
    FragmentSpread({ name }) {
      const fragment = fragments.get(name.value);
      if (fragment !== undefined && !found.has(fragment)) {
        found.add(fragment);
        fragmentsOf(fragment, fragments, found);
      }
    },
  });
  return found;
}

/**
 * Puts the text of each document where it is used. The generated module has all of them as syntax trees: with it every
 * first screen would load, and read, the documents of all screens.
 */
export function documentTexts(): Plugin {
  let texts = new Map<string, string>();
  return {
    name: 'document-texts',
    enforce: 'pre',
    buildStart() {
      texts = readDocuments();
    },
    transform: {
      filter: { id: { include: /\.tsx?$/, exclude: GENERATED }, code: 'graphql(`' },
      handler(code) {
        const replaced = code.replace(IMPORT, '').replaceAll(CALL, (_call, source: string) => {
          const text = texts.get(OPERATION.exec(source)?.[1] ?? ''); // fragments are in the documents that use them
          // As many lines as before, so that the places in the file stay.
          return (text === undefined ? 'undefined' : JSON.stringify(text)) + '\n'.repeat(source.split('\n').length - 1);
        });
        return { code: replaced, map: null };
      },
    },
  };
}
