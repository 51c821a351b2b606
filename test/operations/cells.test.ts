import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CELL_WINDOWS_MS, cellOf, numbersOfCell } from '../../src/domain/ids/cell.js';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { parseApiKey } from '../../src/domain/keys/api-key.js';
import { readOwnCell } from '../../src/operations/cells/own-cell.js';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { Authenticator } from '../../src/operations/keys/authenticate.js';
import { runHere } from '../support/command.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { makeKey, makeTenant, makeWebhook, openTestServices } from '../support/factories.js';
import { onServer } from '../support/on-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** With a database for each cell. */
const SLOW = { timeout: 180_000 };
const ENCRYPTION_KEYS = `test:${randomBytes(32).toString('base64')}`;

type Made = Awaited<ReturnType<typeof createTestDatabase>>;
let databases: Made[];
let database: Made;
beforeEach(async () => {
  database = await createTestDatabase();
  databases = [database];
});
afterEach(() => Promise.all(databases.map(({ drop }) => drop())));

async function anotherDatabase(): Promise<string> {
  const made = await createTestDatabase();
  databases.push(made);
  return made.url;
}

const run = (line: string, url = database.url) =>
  runHere(line.split(' '), { DATABASE_URL: url, ENCRYPTION_KEYS, LOG_LEVEL: 'fatal' });

/** Reads from a database, as its owner. */
async function rows<Row extends object>(text: string, url = database.url): Promise<Row[]> {
  let found: Row[] = [];
  await onServer(url, async (client) => {
    ({ rows: found } = await client.query<Row>(text));
  });
  return found;
}

const nextIdOf = async (url: string) =>
  (await rows<{ body: string }>("select pg_get_functiondef('hookwright.next_id'::regproc) as body", url))[0]!.body;

describe('hookwright migrate --cell', () => {
  test('numbers an empty database, so that all its ids and keys say their cell', async () => {
    expect(await run('migrate --cell 3 --of 16')).toMatchObject({
      code: 0,
      output: expect.stringContaining('It is cell 3 of 16.\n'),
    });
    const services = await openTestServices(database.url);
    try {
      const tenant = await makeTenant(services);
      expect(tenant.id).toBe(30_000_000_000_001);
      expect(tenant.key).toMatch(/^hw_30000000000001_/);
      const { id } = await makeWebhook(services, tenant.id);
      const entries = await rows<{ id: string }>('select id from hookwright.audit_log');
      const numbers = [id, parseApiKey(tenant.key)!.id, ...entries.map((entry) => Number(entry.id))];
      expect(numbers.length).toBeGreaterThan(3);
      expect(new Set(numbers.map(cellOf))).toEqual(new Set([3]));
    } finally {
      await services.db.close();
    }
  });

  test('begins every sequence of an identity column at the numbers of the cell', async () => {
    await run('migrate --cell 899 --of 4');
    const used = await rows<{ last: string }>(`
      select nextval(s.oid)::text as last from pg_class s join pg_depend d on d.objid = s.oid and d.deptype = 'i'
      where s.relkind = 'S' and s.relnamespace = 'hookwright'::regnamespace`);
    expect(used.length).toBeGreaterThan(8);
    expect(new Set(used.map(({ last }) => Number(last)))).toEqual(new Set([8_990_000_000_000_001]));
    expect(numbersOfCell(899).every(Number.isSafeInteger)).toBe(true);
  });

  test('changes nothing when it is run again, and neither does an ordinary migrate', async () => {
    await run('migrate --cell 3 --of 16');
    await rows("select nextval('hookwright.tenants_id_seq')");
    for (const line of ['migrate --cell 3 --of 16', 'migrate']) {
      expect(await run(line)).toMatchObject({ code: 0, output: expect.stringContaining('It is cell 3 of 16.') });
    }
    expect(await rows("select nextval('hookwright.tenants_id_seq')::text as next")).toEqual([
      { next: '30000000000002' },
    ]);
  });

  test('refuses another number or count, since ids say them', async () => {
    await run('migrate --cell 3 --of 16');
    for (const line of ['migrate --cell 4 --of 16', 'migrate --cell 3 --of 8', 'cell enable --of 16']) {
      const { code, errors } = await run(line);
      expect([code, errors]).toEqual([1, expect.stringContaining('This database is cell 3 of 16 for ever')]);
    }
  });

  test('refuses a database that has been used, and leaves it as it is', async () => {
    const services = await openTestServices(database.url);
    await makeTenant(services);
    await services.db.close();
    const { code, errors } = await run('migrate --cell 3 --of 16');
    expect(code).toBe(1);
    expect(errors).toContain(
      'Only an empty database becomes cell 3: this one has been used (api_keys, audit_log, tenants)',
    );
    expect(await rows('select from hookwright.cell')).toEqual([]);
    expect(await rows("select nextval('hookwright.tenants_id_seq')::text as next")).toEqual([{ next: '2' }]);
  });

  test.each([
    ['migrate --cell 900 --of 16', 'A new cell has a number from 1 to 899, not 900.'],
    ['migrate --cell 16 --of 16', 'Cell 16 of 16 would make the same ids of events as cell 0'],
    ['migrate --cell 3 --of 5', 'Ids can name 4, 8 or 16 cells: --of 4, --of 8, --of 16. 5 is none of these.'],
    ['migrate --cell 3', 'A new cell needs both: --cell <number> and --of <4, 8 or 16>'],
    ['migrate --of 16', 'A new cell needs both: --cell <number> and --of <4, 8 or 16>'],
  ])('%s is refused with what is allowed', async (line, sentence) => {
    const { code, errors } = await run(line);
    expect([code, errors]).toEqual([1, expect.stringContaining(sentence)]);
  });
});

test('commands take the numbers of the last cell, which have 16 digits', SLOW, async () => {
  await run('migrate --cell 899 --of 16');
  expect((await run('tenant create far')).output).toContain('Tenant 8990000000000001 "far" is made.');
  expect((await run('tenant rename 8990000000000001 near')).output).toContain('is called "near" now');
  expect((await run('key create k --tenant 8990000000000001')).output).toMatch(/^hw_8990000000000001_/);
  expect((await run('key revoke 8990000000000001')).output).toContain('Key 8990000000000001 is revoked');
  expect((await run('tenant rename 9007199254740993 x')).errors).toContain('must be the number of a tenant');
});

describe('hookwright cell enable', () => {
  test('makes an installation cell 0 with all that it has; its next numbers go on', async () => {
    const services = await openTestServices(database.url);
    const { id } = await makeTenant(services);
    expect(await run('cell enable --of 8')).toMatchObject({
      code: 0,
      output: expect.stringContaining('It is cell 0 of 8.'),
    });
    expect((await makeTenant(services)).id).toBe(id + 1);
    await services.db.close();
  });

  test('an upgrade that replaces all functions keeps ids that name the cell, in the same transaction', async () => {
    await run('migrate --cell 3 --of 16');
    const before = await nextIdOf(database.url);
    expect(before).toContain('| (3)::bigint');
    await rows("update hookwright.edition set number = 0, functions = 'older'");
    await run('migrate');
    expect(await nextIdOf(database.url)).toBe(before);
  });

  test('an installation without cells keeps ids of the former form', async () => {
    await run('migrate');
    expect(await nextIdOf(database.url)).toContain("(nextval('id_sequence'::regclass) & (4095)::bigint)");
  });
});

describe('hookwright doctor', () => {
  test('says which cell it is, and fails when a sequence allots numbers of another one', async () => {
    await run('migrate --cell 3 --of 16');
    expect((await run('doctor')).output).toContain('ok    cell: Cell 3 of 16; its sequences are inside its numbers.');
    await rows("select setval('hookwright.webhooks_id_seq', 12)");
    const { code, output } = await run('doctor');
    expect(code).toBe(1);
    expect(output).toContain('fail  cell: Cell 3 of 16, but these allot numbers of another one: webhooks.');
  });

  test('says nothing of cells where there are none', async () => {
    expect((await run('doctor')).output).not.toMatch(/cell/i);
  });
});

describe('hookwright key copy', () => {
  const urlFile = (url: string) => {
    const file = join(temporaryFolder(), 'url');
    writeFileSync(file, `${url}\n`);
    return file;
  };

  /** Cell 0 with a platform key, and cell 3. */
  async function twoCells() {
    const other = await anotherDatabase();
    await run('cell enable --of 16');
    await run('migrate --cell 3 --of 16', other);
    const services = await openTestServices(database.url);
    const key = await makeKey(services, null, ['platform:admin']);
    const tenant = await makeTenant(services);
    await services.db.close();
    return { other, key, tenant, copy: (id: number) => run(`key copy ${id} --to-url-file ${urlFile(other)}`) };
  }

  test('has a platform key work in the other cell, and may be run again', async () => {
    const { other, key, copy } = await twoCells();
    expect(await copy(key.id)).toMatchObject({
      code: 0,
      output: `Key ${key.id} "test" is copied: it works in cell 3 too.\n`,
    });
    expect((await copy(key.id)).output).toBe(`Key ${key.id} "test" was there already. It works in cell 3 too.\n`);
    const services = await openTestServices(other);
    const authenticator = new Authenticator(services.db, { failures: { perSecond: 1, burst: 10 }, now: () => 0 });
    const caller = await authenticator.authenticate(`Bearer ${key.key}`, '192.0.2.1');
    expect(caller).toMatchObject({ keyId: key.id, tenantId: null, scopes: new Set(['platform:admin']) });
    await services.db.close();
    const [entry, ...more] = await rows<{ after: string }>(
      "select target_id, after from hookwright.audit_log where action = 'API_KEY_CREATED'",
      other,
    );
    expect(more).toEqual([]);
    expect(entry).toEqual({
      target_id: String(key.id),
      after: '{"name":"test","scopes":["platform:admin"],"copiedFromCell":0}',
    });
  });

  test('carries a revocation over, and takes none back', async () => {
    const { other, key, copy } = await twoCells();
    await copy(key.id);
    await run(`key revoke ${key.id}`);
    expect((await copy(key.id)).output).toContain('was there already. It is revoked in cell 3 too.');
    await rows('update hookwright.api_keys set revoked_at = null');
    expect((await copy(key.id)).output).toContain('It is revoked in cell 3 for ever: make another key.');
    expect(await rows('select id from hookwright.api_keys where revoked_at is not null', other)).toHaveLength(1);
  });

  test('refuses keys of tenants, databases that are no other cell, and another key of the number', async () => {
    const { other, key, tenant, copy } = await twoCells();
    expect((await copy(tenant.keyId)).errors).toContain(`There is no platform key ${tenant.keyId}`);
    expect((await run(`key copy ${key.id} --to-url-file ${urlFile(database.url)}`)).errors).toContain(
      'Both databases are cell 0.',
    );
    const plain = await anotherDatabase();
    expect((await run(`key copy ${key.id} --to-url-file ${urlFile(plain)}`)).errors).toContain(
      'The other database is no cell.',
    );
    await rows('drop schema hookwright cascade', plain);
    expect((await run(`key copy ${key.id} --to-url-file ${urlFile(plain)}`)).errors).toContain(
      'The other cell: The database has no schema yet',
    );
    expect((await run(`key copy ${key.id} --to-url-file /nowhere`)).errors).toContain('cannot be read (ENOENT)');
    await copy(key.id);
    await rows("update hookwright.api_keys set hash = 'x'", other);
    expect((await copy(key.id)).errors).toContain(`Cell 3 has another key ${key.id}`);
  });
});

describe('ids of events and deliveries', () => {
  /** Long: for a minute in each cell, with each count of cells. */
  const BURST_MS = process.env['FAULTS'] === 'long' ? 60_000 : 0;

  /** What four statements make at once in a cell, once or again and again. More in a window would be too many. */
  async function burst(cell: number, of: number, windowMs: number): Promise<number[]> {
    const url = cell === 0 ? database.url : await anotherDatabase();
    await onServer(url, async (client) => {
      await enableCell(client, { number: cell === 0 ? null : cell, of });
      expect(await readOwnCell(client)).toEqual({ number: cell, of });
    });
    const statement = 'select hookwright.next_id()::float8 as id from generate_series(1, 10000)';
    const made: number[] = [];
    const until = performance.now() + BURST_MS;
    do {
      const each = await Promise.all(Array.from({ length: 4 }, () => rows<{ id: number }>(statement, url)));
      made.push(...each.flat().map(({ id }) => id));
      const endedAt = performance.now();
      await eventually(() => BURST_MS === 0 || performance.now() > endedAt + windowMs);
    } while (performance.now() < until);
    return made;
  }

  test.each([...CELL_WINDOWS_MS])('of %s cells are equal in no two, and right to %s ms', SLOW, async (of, windowMs) => {
    const before = Date.now();
    const made = await Promise.all(Array.from({ length: of }, (_, cell) => burst(cell, of, windowMs)));
    const after = Date.now();
    const all = Float64Array.from(made.flat()).sort();
    expect(all.length).toBeGreaterThanOrEqual(of * 40_000);
    expect(all.findIndex((id, place) => id === all[place + 1])).toBe(-1);
    expect(made.map((ids) => [...new Set(ids.map((id) => id % of))])).toEqual(made.map((_, cell) => [cell]));
    const [first, last] = [all[0]!, all.at(-1)!].map((id) => idToDate(id).getTime());
    expect(first).toBeGreaterThan(before - windowMs);
    expect(last).toBeLessThan(after + windowMs);
    if (BURST_MS > 0) {
      process.stdout.write(`${all.length} ids of ${of} cells\n`);
    }
  });

  test('are in the day in which they are made, up to its last millisecond', async () => {
    for (const windowMs of CELL_WINDOWS_MS.values()) {
      expect(86_400_000 % windowMs).toBe(0);
    }
    await run('migrate --cell 3 --of 16');
    await rows(`create or replace function hookwright.id_clock() returns timestamptz language sql volatile
      return timestamptz '2026-01-31 23:59:59.999999+00'`);
    const days = await rows(`
      select distinct hookwright.id_day(hookwright.next_id())::text as day from generate_series(1, 70000)`);
    expect(days).toEqual([{ day: '2026-01-31' }]);
  });
});
