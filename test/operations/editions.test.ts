import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EDITION, EDITION_DIGEST, edition, sha256 } from '../../migrations/edition.js';
import { lastStep } from '../../migrations/last-step.js';
import { requireMigrated } from '../../src/operations/installation/check-readiness.js';
import { migrate } from '../../src/operations/installation/migrate.js';
import { readPendingWork } from '../../src/operations/installation/pending-work.js';
import { runHere } from '../support/command.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { lockWaitsFor } from '../support/lock-waits.js';
import { openTransaction } from '../support/locks.js';
import { onServer } from '../support/on-server.js';
import { heard, runProgram, startProgram } from '../support/program.js';
import { unpackRelease } from '../support/release-fixture.js';

/** @returns null: git knows no such commit, or the commit no editions */
function editionIn(commit: string): { number: number; digest: string } | null {
  try {
    const text = execFileSync('git', ['show', `${commit}:migrations/edition.ts`], { encoding: 'utf8', stdio: 'pipe' });
    const [, number = '', digest = ''] = /EDITION = (\d+);[\s\S]*EDITION_DIGEST = '(\w*)'/.exec(text)!;
    return { number: Number(number), digest };
  } catch {
    return null;
  }
}

describe('the edition of the functions', () => {
  test('has the digest of their texts: a change of one has a higher number, and its digest here', () => {
    expect(sha256([edition().functions, ...lastStep].join('\n'))).toBe(EDITION_DIGEST);
  });

  test.each(['HEAD', 'HEAD^'])('has a higher number than in %s if its digest is another one', (commit) => {
    const before = editionIn(commit);
    if (before !== null && before.digest !== EDITION_DIGEST) {
      expect(EDITION).toBeGreaterThan(before.number);
    }
  });
});

describe('a database', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  async function rows<Row extends object>(sql: string): Promise<Row[]> {
    let found: Row[] = [];
    await onServer(database.url, async (client) => {
      ({ rows: found } = await client.query<Row>(sql));
    });
    return found;
  }
  const schema = async () => {
    const lines = await rows<{ line: string }>(`
      select pg_get_functiondef(oid) as line from pg_proc where pronamespace = 'hookwright'::regnamespace
      union all select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
      union all select edition::text from hookwright.edition union all select name from hookwright.migrations
      order by 1`);
    return lines.map(({ line }) => line);
  };
  const pending = async () => (await readPendingWork(database.url)).pending;
  const functionsOfThis = `functions (edition ${EDITION})`;

  test('that a newer version has migrated stays as it is, whatever this version and 0.1.0 do', async () => {
    await rows(`
      create or replace function hookwright.job_size(deliveries bigint) returns bigint
      language sql immutable parallel safe return 1;
      drop trigger note_insert on hookwright.deliveries;
      update hookwright.edition set number = ${EDITION + 1}, functions = 'newer', last_step = 'newer'`);
    const before = await schema();
    const newer = `A newer version has migrated the database (functions (edition ${EDITION + 1})).`;
    const env = {
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      PORT: '0',
      METRICS_PORT: '0',
    };

    expect(await runHere(['migrate'], env)).toMatchObject({ code: 0, output: `${newer}\n` });
    expect(await runHere(['migrate', '--check'], env)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^A newer version .*\nNothing to do/),
    });
    const started = startProgram(['start'], env);
    const said = heard(started);
    await eventually(() => said.output.includes('daemon is running') || Promise.reject(new Error(said.errors)), 90_000);
    expect(said.output).toContain(newer);
    started.kill('SIGTERM');
    const program = join(unpackRelease('0.1.0'), 'hookwright');
    // It grants a function with the arguments of 0.1.0, and fails there. Its `api` and `daemon` go on.
    const old = await runProgram(['migrate'], { DATABASE_URL: database.url }, { program });
    expect(old.errors).toContain('function hookwright.emit(bigint, text, text, text, boolean) does not exist');
    expect(await schema()).toEqual(before);
  }, 150_000);

  test('of an earlier edition gets all functions in one transaction, beside an application that has tables locked', async () => {
    const before = await schema();
    await rows(`
      create or replace function hookwright.job_size(deliveries bigint) returns bigint
      language sql immutable parallel safe return 1;
      update hookwright.edition set number = 0, functions = 'older'`);
    expect(await pending()).toEqual([functionsOfThis]);
    await onServer(database.url, (client) =>
      expect(requireMigrated({ pool: client })).rejects.toThrow(`The database lacks ${functionsOfThis}: run `),
    );
    await using _application = await openTransaction(
      database.url,
      'lock table hookwright.deliveries, hookwright.webhooks in row exclusive mode',
    );
    await migrate(database.url);
    expect(await schema()).toEqual(before);
  });

  test('whose migration ended before the functions, or before the last step, is finished by the next one', async () => {
    const before = await schema();
    for (const crash of [
      'delete from hookwright.edition',
      'drop trigger note_insert on hookwright.deliveries; update hookwright.edition set last_step = null',
    ]) {
      await rows(crash);
      expect(await pending()).toEqual([functionsOfThis]);
      await migrate(database.url);
      expect(await schema()).toEqual(before);
      expect(await pending()).toEqual([]);
    }
  });

  test('gets its triggers when nobody has the tables locked', async () => {
    await rows('update hookwright.edition set last_step = null');
    await using application = await openTransaction(
      database.url,
      'lock table hookwright.deliveries in row exclusive mode',
    );
    const migrating = migrate(database.url);
    await eventually(async () => (await rows(lockWaitsFor('ShareRowExclusiveLock'))).length > 0);
    await application.commit();
    await migrating;
    expect(await pending()).toEqual([]);
  });

  test('keeps who may call a function that gets another argument', async () => {
    const name = `hw_${randomBytes(4).toString('hex')}`;
    await rows(`
      create role ${name};
      create function hookwright.emit(tenant_id bigint, event_type text, body text, idempotency_key text,
        schema_checked boolean) returns integer language sql return 1;
      drop function hookwright.emit(bigint, text, text, text, boolean, text, integer, integer, text, jsonb);
      grant execute on function hookwright.emit to ${name};
      update hookwright.edition set number = 0`);
    await migrate(database.url);
    const found = await rows(`
      select has_function_privilege('${name}', oid, 'execute') as may, pronargs as arguments
      from pg_proc where pronamespace = 'hookwright'::regnamespace and proname = 'emit'`);
    expect(found).toEqual([{ may: true, arguments: 10 }]);
    await rows(`revoke execute on function hookwright.emit from ${name}; drop role ${name}`);
  });

  test('of a build from between the releases gets the words for orders that there are now', async () => {
    await rows(`
      with tenant as (
        insert into hookwright.tenants (name, data_key, data_key_kid) values ('acme', '', 'k1') returning id),
      webhook as (
        insert into hookwright.webhooks (tenant_id, url, event_types, sealed_secret)
        select id, 'https://example.com', '{*}', '' from tenant returning id, tenant_id)
      insert into hookwright.webhook_options (webhook_id, tenant_id, ordering_by, ordering_on_failure)
      select id, tenant_id, 'NOTHING', 'GO_ON' from webhook`);
    await rows('update hookwright.edition set number = 1, last_step = null');
    await migrate(database.url);
    expect(
      await rows(`select ordering_by, ordering_on_failure, plain, uses_flow from hookwright.webhook_options
                  join hookwright.webhooks w on w.id = webhook_id join hookwright.tenants t on t.id = w.tenant_id`),
    ).toEqual([{ ordering_by: 'NONE', ordering_on_failure: 'CONTINUE', plain: true, uses_flow: false }]);
  });

  test('has no two functions of one name', async () => {
    const found = await rows(`
      select proname from pg_proc where pronamespace = 'hookwright'::regnamespace group by 1 having count(*) > 1`);
    expect(found).toEqual([]);
  });
});
