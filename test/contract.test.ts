import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { functions as printedFunctions } from '../migrations/functions.js';
import { buildGraphqlSchema } from '../src/api/graphql/schema.js';
import { SecretSetting } from '../src/platform/settings/setting.js';
import { settings } from '../src/platform/settings/settings.js';
import { DeliveryStack } from './support/delivery-stack.js';
import { rooms, wings } from './support/layers.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

function sourcesIn(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(tsx?|sql)$/.test(entry.name))
      .map((entry) => relative(root, join(entry.parentPath, entry.name)))
      .filter((file) => !/\/(node_modules|\.run-)/.test(file)),
  );
}

/** The comments of a file, each as one line: a block, lines with `//` one below the other, or the end of a line. */
function commentsOf(file: string): string[] {
  const text = file.endsWith('.sql') ? read(file).replaceAll('--', '//') : read(file);
  const comments = text.matchAll(/^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+|[ \t]\/\/ .*/gm);
  return [...comments].map(([comment]) => comment.replaceAll(/\s*\n\s*(\*(?!\/)|\/\/)?\s*/g, ' '));
}

const foldersIn = (folder: string) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

/** The file is in a folder of the table, and imports another wing or room that the row does not name. */
function isAgainst(table: ReadonlyMap<string, readonly string[]>, file: string, path: string): boolean {
  const own = [...table.keys()].find((folder) => file.startsWith(folder));
  const isNamed = [...wings.keys()].some((wing) => path.startsWith(wing));
  return own !== undefined && isNamed && ![own, ...(table.get(own) ?? [])].some((folder) => path.startsWith(folder));
}

function importsOf(file: string): string[] {
  return [...read(file).matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
    normalize(join(dirname(file), path ?? '')),
  );
}

/** Imports of the dashboard are without an extension. */
const filesNeededBy = (file: string) =>
  importsOf(file).map((path) =>
    existsSync(join(root, `${path}.tsx`)) ? `${path}.tsx` : path.replace(/(\.js)?$/, '.ts'),
  );

/** As `file: name`, or `file: *` of a file that is imported while the program runs. */
function namesImportedBy(file: string): string[] {
  const target = (path: string) => normalize(join(dirname(file), path)).replace(/\.js$/, '.ts');
  const named = [...read(file).matchAll(/^(?:import|export) [^;']*?\{([^}]*)\} from '(\.[^']+)'/gm)];
  const loaded = [...read(file).matchAll(/\bimport\(\s*'(\.[^']+)'/g)];
  return [
    ...named.flatMap(([, names = '', path = '']) =>
      [...names.matchAll(/(?:type )?(\w+)(?: as \w+)?/g)].map(([, name]) => `${target(path)}: ${name}`),
    ),
    ...loaded.map(([, path = '']) => `${target(path)}: *`),
  ];
}

/** Each circle as `a → b → a`. */
function circlesOf(needed: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const circlesFrom = (node: string, way: readonly string[]): string[] => {
    if (way.includes(node)) {
      return [[...way.slice(way.indexOf(node)), node].join(' → ')];
    }
    if (done.has(node)) {
      return [];
    }
    const circles = (needed.get(node) ?? []).flatMap((next) => circlesFrom(next, [...way, node]));
    done.add(node);
    return circles;
  };
  return [...needed.keys()].flatMap((node) => circlesFrom(node, []));
}

describe('the source tree', () => {
  test('migrations import nothing of the product: what they do to a database does not follow later changes', () => {
    const outside = sourcesIn('migrations').flatMap((file) =>
      importsOf(file).filter((path) => !path.startsWith('migrations/')),
    );
    expect(outside).toEqual([]);
  });

  test('data goes one way: domain ← entities ← platform ← operations ← api and daemon ← cli, and so do rooms', () => {
    const against = sourcesIn('src', 'daemon').flatMap((file) =>
      importsOf(file)
        .filter((path) => isAgainst(wings, file, path) || isAgainst(rooms, file, path))
        .map((path) => `${file} imports ${path}`),
    );
    expect(against).toEqual([]);
  });

  test('each wing and room that CONTRIBUTING.md names is there, imports those alone, and no other folder is', () => {
    expect(wings.size).toBe(7);
    expect(rooms.size).toBeGreaterThan(20);
    const folders = [...wings.keys(), ...rooms.keys()];
    for (const [folder, names] of [...wings, ...rooms]) {
      expect(existsSync(join(root, folder)), folder).toBe(true);
      expect(names.filter((name) => !folders.includes(name))).toEqual([]);
    }
    const divided = ['src/', 'src/platform/', 'src/api/', 'daemon/'];
    const there = divided.flatMap((wing) => foldersIn(wing).map((name) => `${wing}${name}/`));
    expect(there.filter((folder) => !folders.includes(folder))).toEqual([]);
  });

  test('no file imports itself by way of others: what files import of one another, types too, goes one way', () => {
    const files = sourcesIn('src', 'daemon', 'bench', 'migrations', 'dashboard');
    expect(circlesOf(new Map(files.map((file) => [file, filesNeededBy(file)])))).toEqual([]);
  });

  test('no folder imports itself by way of others: its files come after those that it imports, or before those that import it', () => {
    // What is in src itself puts the others together, but for a few things that all of them need.
    const files = sourcesIn('src', 'daemon').filter((file) => dirname(file) !== 'src');
    const inFolders = Map.groupBy(files, (file) => dirname(file));
    const needed = [...inFolders].map(([folder, own]): [string, string[]] => {
      const others = own.flatMap(filesNeededBy).map((file) => dirname(file));
      return [folder, others.filter((other) => other !== folder && inFolders.has(other))];
    });
    expect(circlesOf(new Map(needed))).toEqual([]);
  });

  test('the domain is pure: it imports nothing that reads, writes, waits or rolls dice', () => {
    const allowed = /^(node:crypto|node:net|node:zlib|\.)/;
    const impure = sourcesIn('src/domain').flatMap((file) =>
      [...read(file).matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)]
        .filter(([, path]) => !allowed.test(path ?? ''))
        .map(([, path]) => `${file} imports ${path}`),
    );
    const dice = sourcesIn('src/domain').filter((file) =>
      /Math\.random|randomBytes|Date\.now|new Date\(\)/.test(read(file)),
    );
    expect([...impure, ...dice]).toEqual([]);
  });

  test("graphile-worker's private tables and members are named in one folder, the SQL functions and one helper", () => {
    const members = 'workerQueue|jobQueue|receivedJobs|fetchInProgress|background';
    const isPrivate = new RegExp(`\\b_private_|hookwright_jobs\\.|\\.(${members})\\b`);
    const named = (...folders: string[]) => sourcesIn(...folders).filter((file) => isPrivate.test(read(file)));
    expect(named('src', 'daemon', 'bench').filter((file) => !file.startsWith('src/platform/graphile-worker/'))).toEqual(
      [],
    );
    expect(named('migrations').sort()).toEqual([
      'migrations/functions/emit-lone-event.sql',
      'migrations/functions/jobs.sql',
      'migrations/functions/new-deliveries.sql',
    ]);
    expect(sourcesIn('test').filter((file) => /\b_private_/.test(read(file)))).toEqual(['test/support/jobs.ts']);
  });

  test('raw SQL is in operations, migrations and the database modules alone', () => {
    const sql = /\b(select|insert into|update|delete from)\b[^'`]*\bhookwright\./i;
    const files = sourcesIn('src', 'daemon').filter((file) => sql.test(read(file)));
    const elsewhere = files.filter((file) => !file.startsWith('src/operations/'));
    expect(elsewhere).toEqual([]);
  });

  test('what people edit is written by the unit of work: SQL writes it where the service itself does (docs/decisions/0033)', () => {
    const edited = 'webhooks|tenants|api_keys|event_types|audit_log|bulk_operations';
    const written = new RegExp(`\\b(insert into|update|delete from)\\s+hookwright\\.(${edited})\\b`, 'i');
    expect(
      sourcesIn('src', 'daemon')
        .filter((file) => written.test(read(file)))
        .sort(),
    ).toEqual([
      'src/operations/attempts/end-probes.ts',
      'src/operations/attempts/raise-events.ts',
      'src/operations/attempts/record-successes.ts',
      'src/operations/attempts/update-health.ts',
      'src/operations/bulk/resume-idle-operations.ts',
      'src/operations/bulk/run-bulk-operation.ts',
      'src/operations/cells/move/forget.ts', // a tenant that lives in another cell
      'src/operations/installation/future-times.ts',
      'src/operations/installation/ignored-filters.ts',
      'src/operations/keys/copy-key.ts', // into another database
      'src/operations/rehearsals/stage.ts', // rolled back
      'src/operations/rows/audit.ts',
      'src/operations/tenants/follow-defaults.ts',
      'src/operations/webhooks/align-webhook.ts',
      'src/operations/webhooks/delete-webhook.ts',
      'src/operations/webhooks/forget-previous-secrets.ts',
    ]);
  });

  test('node:http is imported for its types alone: its values come from node-http.ts, which costs less memory', () => {
    const files = sourcesIn('src', 'daemon').filter((file) =>
      /^import (?!type)[^;]*from 'node:https?'/m.test(read(file)),
    );
    expect(files).toEqual([]);
  });

  test('undici is imported for its types alone: its values come from undici.ts, which costs less memory', () => {
    const files = sourcesIn('src', 'daemon').filter((file) => /^import (?!type)[^;]*from 'undici'/m.test(read(file)));
    expect(files).toEqual([]);
  });

  test('commands in messages begin as the reader calls the program: by thisProgram', () => {
    const verbs = 'start|api|daemon|migrate|doctor|tenant|keys?|outbox|trigger|types|test-receiver';
    const command = new RegExp(`(?<![\\w/])hookwright (${verbs})\\b(?!\`)`); // in backticks it is a name
    const isName = /application_name|<testsuite name/;
    const lines = sourcesIn('src', 'daemon', 'dashboard').flatMap((file) =>
      read(file)
        .replaceAll(/^[ \t]*\/\*[\s\S]*?\*\/|\/\/ .*/gm, '')
        .split('\n')
        .filter((line) => command.test(line) && !isName.test(line))
        .map((line) => `${file}: ${line}`),
    );
    expect(lines).toEqual([]);
  });

  test('no loop races promises: one that is made outside of it keeps something of each round', () => {
    const inLoops = sourcesIn('src', 'daemon').filter((file) => {
      const lines = read(file).split('\n');
      return lines.some((line, at) => line.includes('Promise.race(') && isInLoop(lines, at));
    });
    expect(inLoops).toEqual([]);
  });

  test('nothing is exported that no other file imports', () => {
    const files = sourcesIn('src', 'daemon', 'migrations', 'bench', 'test');
    const imported = new Set(files.flatMap(namesImportedBy));
    const exported = files.flatMap((file) =>
      [
        ...read(file).matchAll(/^export (?:abstract |async )*(?:const|function\*?|class|interface|type|enum) (\w+)/gm),
      ].map(([, name]) => `${file}: ${name}`),
    );
    expect(exported.length).toBeGreaterThan(500);
    expect(exported.filter((one) => !imported.has(one) && !imported.has(one.replace(/: .*/, ': *')))).toEqual([]);
  });

  test('no file has more than 260 lines', () => {
    const files = sourcesIn('src', 'daemon', 'migrations');
    const long = files.filter((file) => read(file).split('\n').length > 260);
    expect(long).toEqual([]);
  });
});

/** Whether a line is in the block of a loop, as the indentation has it, within its function. */
function isInLoop(lines: readonly string[], at: number): boolean {
  const indentOf = (line: string) => line.search(/\S|$/);
  let indent = indentOf(lines[at]!);
  for (const above of lines.slice(0, at).reverse()) {
    if (above !== '' && indentOf(above) < indent) {
      indent = indentOf(above);
      if (indent === 0 || /^ *(for|while|do) /.test(above)) {
        return indent > 0;
      }
    }
  }
  return false;
}

describe('what is written down', () => {
  test('schema.graphql is what the code says: npm run schema prints it', async () => {
    const printed = printSchema(lexicographicSortSchema(await buildGraphqlSchema()));
    expect(read('schema.graphql').trim()).toBe(printed.trim());
  });

  test.each(Object.entries(settings))(
    'the setting %s is in docs/settings.md with its default, its meaning and what is allowed',
    (name, { schema, allowed }) => {
      const row = read('docs/settings.md')
        .split('\n')
        .find((line) => line.startsWith(`| \`${name}\` |`));
      expect(row).toBeDefined();
      const given = schema.safeParse(undefined).data ?? '(unset)';
      const [, fallback, meaning, ...rest] = row!.split(' | ');
      expect(fallback).toBe(String(given) || '(none)');
      expect(meaning).toMatch(/^[A-Z].{15,}\.$/);
      expect(rest.join(' | ')).toContain(allowed);
    },
  );

  test('the settings that may come from files are named in docs/settings.md', () => {
    const [, named = ''] =
      /^## Secrets from files\n+(.*?) may also come from a file/ms.exec(read('docs/settings.md')) ?? [];
    const secrets = Object.values(settings).filter((setting) => setting instanceof SecretSetting);
    expect([...named.matchAll(/`(\w+)`/g)].map(([, name]) => name).sort()).toEqual(
      secrets.map(({ name }) => name).sort(),
    );
  });
});

describe('the files for containers', () => {
  test.each(['Dockerfile', 'compose.yaml'])('%s sets nothing but settings', (file) => {
    const named = [...read(file).matchAll(/^(?:ENV (.*)|\s+environment:\n((?: {4}\w+: .*\n)+))/gm)].flatMap(
      ([, inline, block]) => [...(inline ?? block ?? '').matchAll(/(\w+)(?:=|: )/g)].map(([, name]) => name),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(Object.keys(settings)).toEqual(expect.arrayContaining(named));
  });
});

describe('comments', () => {
  /** In these a few lines are longer. */
  const commented = sourcesIn('src', 'daemon', 'migrations').flatMap((file) =>
    commentsOf(file).map((comment) => ({ file, comment })),
  );

  test('name pages and headings that there are, as (docs/interface.md, "Deliveries")', () => {
    const named = commented.flatMap(({ file, comment }) =>
      [...comment.matchAll(/(docs\/[\w/-]+\.md)((?:(?:, | and )"[^"]+")*)/g)].map(([, page, headings]) => ({
        file,
        page: page ?? '',
        headings: [...(headings ?? '').matchAll(/"([^"]+)"/g)].map(([, heading]) => heading ?? ''),
      })),
    );
    expect(named.flatMap(({ headings }) => headings).length).toBeGreaterThan(15);
    const headingsOf = (page: string) =>
      read(page)
        .split('\n')
        .filter((line) => line.startsWith('#'));
    const wrong = named.filter(
      ({ page, headings }) =>
        !existsSync(join(root, page)) ||
        !headings.every((heading) => headingsOf(page).some((line) => line.replace(/^#+ /, '') === heading)),
    );
    expect(wrong).toEqual([]);
  });

  test('name source files by the paths that they have', () => {
    const named = commented.flatMap(({ file, comment }) =>
      [...comment.matchAll(/(?<![\w./-])(?:[\w-]+\/)+[\w.-]+\.ts\b/g)].map(([path]) => ({ file, path })),
    );
    expect(named.length).toBeGreaterThan(5);
    const isThere = (path: string) => ['', 'src/', 'daemon/'].some((folder) => existsSync(join(root, folder + path)));
    expect(named.filter(({ path }) => !isThere(path))).toEqual([]);
  });

  test('and the SQL of migrations have no line of more than 120 columns', () => {
    const long = sourcesIn('src', 'daemon', 'migrations').flatMap((file) => {
      const isSql = file.startsWith('migrations/');
      return read(file)
        .split('\n')
        .map((line, index) => ({ place: `${file}:${index + 1}`, line }))
        .filter(({ line }) => line.length > 120 && (isSql || /^\s*(\/\/|\/\*|\*)/.test(line)))
        .map(({ place }) => place);
    });
    expect(long).toEqual([]);
  });

  test('begin with the thing that they describe, and not with a word that stands for it', () => {
    const riddles = commented.filter(({ comment }) =>
      /^\s*\/\*\* (Of|As|What|Who|Whom|Whose|That|Those|Nor|For|Its|Also|Else|Such)\b.*\*\//.test(comment),
    );
    expect(riddles).toEqual([]);
  });

  test('and messages, descriptions and SQL have none of the words that make a reader stumble', () => {
    const refused = /\b(told|tells|anew|whoever|lest|in times of|for who|of who|be it|nor is)\b/i;
    const lines = sourcesIn('src', 'daemon', 'migrations', 'bench').flatMap((file) =>
      read(file)
        .split('\n')
        .map((line, index) => ({ at: `${file}:${index + 1}`, line })),
    );
    expect(lines.filter(({ line }) => refused.test(line))).toEqual([]);
  });

  test('number the sections of public standards and of docs/decisions alone', () => {
    const numbered = commented.flatMap(({ file, comment }) =>
      [...comment.matchAll(/§+ ?\d/g)].map(({ index }) => ({ file, before: comment.slice(0, index) })),
    );
    expect(numbered.length).toBeGreaterThan(5);
    expect(numbered.filter(({ before }) => !/\b(RFC|NIST|W3C|decisions)\b/.test(before))).toEqual([]);
  });
});

describe('the database', () => {
  let stack: DeliveryStack;
  beforeAll(async () => {
    stack = await DeliveryStack.open();
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  test('has each of its functions in one file, and lets nobody call it who is not named there', async () => {
    const functions = await stack.rows<{ name: string; everybody: boolean }>(
      `select proname as name, proacl is null or proacl::text ~ '[{,]=' as everybody
       from pg_proc where pronamespace = 'hookwright'::regnamespace order by 1`,
    );
    const written = [...printedFunctions().matchAll(/^create or replace function hookwright\.(\w+)/gm)].map(
      ([, name]) => name,
    );
    expect(functions.map(({ name }) => name)).toEqual(written.toSorted());
    expect(functions.filter(({ everybody }) => everybody)).toEqual([]);
  });

  test('has every column that an entity has', async () => {
    const columns = await stack.rows<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'hookwright'`,
    );
    const existing = new Set(columns.map(({ name }) => name));
    const mapped = [...stack.services.db.orm.getMetadata().getAll().values()].flatMap(({ tableName, props }) =>
      props
        .filter(({ persist }) => persist !== false)
        .flatMap(({ fieldNames }) => fieldNames.map((name) => `${tableName}.${name}`)),
    );
    expect(mapped.length).toBeGreaterThan(50);
    expect(mapped.filter((name) => !existing.has(name))).toEqual([]);
  });
});
