import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, encode, type SourceMapMappings, type SourceMapSegment } from '@jridgewell/sourcemap-codec';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

// `npm run service:build`: puts the program with its libraries into the few files of dist/program, a file for what each
// command loads. Node needs 0.4 ms for each file that it loads, and these were 2,300 (docs/decisions/0074).
const TO = 'dist/program';

/** Imported by libraries where somebody installed them; nobody did. */
const OPTIONAL = ['class-validator', 'pg-native'];

/** What libraries get in place of others. */
const REPLACED: Readonly<Record<string, string>> = {
  // It takes a digest written in JavaScript where there is no `module.require`. Apollo makes one for each request.
  '@apollo/utils.createhash': 'export { createHash } from "node:crypto";',
  // No settings are looked for in the current folder: src/platform/graphile-worker/library.ts does it to the sources.
  cosmiconfig: 'export const cosmiconfigSync = () => ({ search: () => null });',
  // MikroORM does without; it is only here because tools need it.
  tinyglobby: 'throw new Error("tinyglobby is not part of the program");',
};
const replacements: Plugin = {
  name: 'replacements',
  resolveId: (id) => (Object.hasOwn(REPLACED, id) ? `\0${id}` : undefined),
  load: (id) => (id.startsWith('\0') ? REPLACED[id.slice(1)] : undefined),
};

async function chunks(): Promise<OutputChunk[]> {
  const bundle = await rolldown({
    input: { main: 'src/main.ts' },
    platform: 'node',
    tsconfig: 'tsconfig.json',
    external: OPTIONAL,
    plugins: [replacements],
    resolve: {
      // graphql has two builds without `exports`: as in Node, everybody gets the CommonJS one.
      mainFields: ['main', 'module'],
      extensionAlias: { '.js': ['.ts', '.js'] },
    },
    onLog: (level, log, report) => {
      if (level === 'warn' && !log.id?.includes('node_modules')) {
        report('error', log);
      }
    },
  });
  const { output } = await bundle.generate({
    dir: TO,
    format: 'esm',
    keepNames: true, // GraphQL's types and the tables' entities have the names of their classes
    // Without digests: a cache of compiled code keeps one entry for each, whatever is built.
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    sourcemap: 'hidden',
  });
  return output.filter((file) => file.type === 'chunk');
}

/**
 * For stack traces: of our own sources alone, and of each of their lines only its beginning. Node reads the maps at each start,
 * and whole ones would take 60 MiB and 0.3 s of processor time.
 *
 * @returns null where a chunk has nothing of ours
 */
function thinMap({ map }: OutputChunk): string | null {
  if (map === null) {
    return null;
  }
  const isOurs = (source: number) => !map.sources[source]!.includes('node_modules');
  const sources: string[] = [];
  const indices = new Map<number, number>();
  const indexOf = (source: number) => {
    if (!indices.has(source)) {
      indices.set(source, sources.push(map.sources[source]!) - 1);
    }
    return indices.get(source)!;
  };
  let last = -1;
  const mappings: SourceMapMappings = decode(map.mappings).map((line) =>
    line.flatMap(([column, source, sourceLine, sourceColumn], index): SourceMapSegment[] => {
      const place = source === undefined || !isOurs(source) ? -1 : sourceLine!;
      if (place === last && (index > 0 || place === -1)) {
        return [];
      }
      last = place;
      return [place === -1 ? [column] : [column, indexOf(source!), place, sourceColumn!]];
    }),
  );
  return sources.length === 0 ? null : JSON.stringify({ version: 3, sources, names: [], mappings: encode(mappings) });
}

/** The licences of the libraries in the chunks: their texts go where their code goes. */
function licences(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const found = globSync('{licen[cs]e,LICEN[CS]E,License,NOTICE}*', { cwd: folder })
      .filter((file) => /^\w+([.-](md|txt|mit))?$/i.test(file))
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [`${name} ${version} (${license})`, ...found].join('\n\n');
  });
  return `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

const made = await chunks();
rmSync(TO, { recursive: true, force: true });
mkdirSync(TO, { recursive: true });
for (const chunk of made) {
  const map = thinMap(chunk);
  writeFileSync(
    join(TO, chunk.fileName),
    map === null ? chunk.code : `${chunk.code}\n//# sourceMappingURL=${chunk.fileName}.map\n`,
  );
  if (map !== null) {
    writeFileSync(join(TO, `${chunk.fileName}.map`), map);
  }
}
writeFileSync(join(TO, 'LICENSES.txt'), licences(made.flatMap(({ moduleIds }) => moduleIds)));
for (const folder of ['functions', 'frozen']) {
  cpSync(`migrations/${folder}`, join(TO, folder), { recursive: true });
}
