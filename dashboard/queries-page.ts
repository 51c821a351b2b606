import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FragmentDefinitionNode, Kind, type OperationDefinitionNode, parse, print } from 'graphql';

const HEAD = `# What the dashboard asks

Every document that the pages of the dashboard send to the [GraphQL interface](graphql.md), by the part of them that asks
it: nothing is made for the dashboard alone, so what a page shows, your own can. \`npm run dashboard:queries\` writes this
page.
`;

const SOURCES = import.meta.dirname;
const PERSISTED = join(SOURCES, 'api/generated/persisted-documents.json');

/**
 * docs/dashboard-queries.md, from the documents that `npm run dashboard:documents` has found.
 *
 * @throws Error when they are older than the sources
 */
export function queriesPage(): string {
  const texts = Object.values(JSON.parse(readFileSync(PERSISTED, 'utf8')) as Record<string, string>);
  const definitions = texts.flatMap((text) => parse(text).definitions);
  const operations = definitions.filter(
    (one): one is OperationDefinitionNode => one.kind === Kind.OPERATION_DEFINITION,
  );
  const fragments = new Map(
    definitions
      .filter((one): one is FragmentDefinitionNode => one.kind === Kind.FRAGMENT_DEFINITION)
      .map((one) => [one.name.value, print(one)]),
  );
  const sources = readSources();
  const parts = Map.groupBy(operations, ({ name }) => partOf(name?.value ?? '', sources));
  const sections = [...parts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([part, own]) => section(part, own.map((operation) => print(operation)).sort()));
  return [HEAD, ...sections, section('Fragments', [...fragments.values()].sort())].join('\n');
}

const section = (title: string, texts: readonly string[]): string =>
  [`## ${title}`, ...texts.map((text) => `\`\`\`graphql\n${text}\n\`\`\``), ''].join('\n\n').trimEnd().concat('\n');

function readSources(): { folder: string; text: string }[] {
  return readdirSync(SOURCES, { recursive: true, withFileTypes: true })
    .filter(({ name, parentPath }) => /\.tsx?$/.test(name) && !parentPath.includes('generated'))
    .map(({ name, parentPath }) => ({
      folder: parentPath.slice(SOURCES.length + 1),
      text: readFileSync(join(parentPath, name), 'utf8'),
    }));
}

/** Turns `screens/event-types` into `Event types`. */
function partOf(document: string, sources: ReturnType<typeof readSources>): string {
  const definition = new RegExp(`\\b(query|mutation|subscription) ${document}\\b`);
  const source = sources.find(({ text }) => definition.test(text));
  if (source === undefined) {
    throw new Error(`No source has the document ${document} any more. Run: npm run dashboard:documents`);
  }
  const name = source.folder.replace(/^screens\//, '').replaceAll('-', ' ');
  const isScreen = source.folder.startsWith('screens/');
  const title = `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
  return isScreen ? title : `${{ console: 'The frame of the console', parts: 'All screens' }[name] ?? title}`;
}
