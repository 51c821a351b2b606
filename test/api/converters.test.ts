import { afterAll, describe, expect, test } from 'vitest';
import { query } from '../../src/platform/database/database.js';
import { tenantTransaction } from '../../src/platform/database/tenant-database.js';
import { makeKey, makeTenant } from '../support/factories.js';
import { type Answer, codesOf, dataOf, GraphqlApi } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';

/** Converters of event types, the proof that they fit, and releases. */

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
const reader = await makeKey(api.services, null, ['platform:read']);
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const text = { type: 'string' };
const form = (properties: object, required: string[] = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
/** The field `mail` became `email`, which may be null. */
const first = form({ id: text, mail: text });
const second = form({ id: text, email: { type: ['string', 'null'] } });
const toFirst = [{ op: 'RENAME', path: 'email', to: 'mail' }];

const PROOF = `proof { fits complete sampleIssues { path detail } eventsLookedAt eventsJudged eventsFit
  misfits { tenant { id } eventId issues { path detail } } }`;
const VERSIONS = 'version versions { version converter { op path to value } converterFrom }';
const by = (asking: Parameters<typeof api.by>[0] = platform) => api.by(asking);
const register = async (name: string, schema: object = first) =>
  dataOf(await by().mutate('registerEventType', { name, description: 'A thing.', schema }, 'eventType { version }'));
const update = (name: string, change: object) =>
  by().mutate('updateEventType', { name, ...change }, `eventType { ${VERSIONS} } ${PROOF}`);
const add = (name: string, change: object) =>
  by().mutate('addConverter', { name, ...change }, `eventType { ${VERSIONS} } ${PROOF}`);
const issuesOf = (answer: Answer) =>
  (answer.errors[0]?.extensions.errors ?? []).map(({ path, code }: { path: string[]; code: string }) => [
    path.join('.'),
    code,
  ]);
const detailsOf = (answer: Answer): string[] =>
  answer.errors[0]!.extensions.errors!.map(({ detail }: { detail: string }) => detail);
/** Writes events past the API: their bodies by an expression of `n`, 1 to `count`. @returns their ids */
const writeEvents = async (type: string, count: number, body: string, days = 0): Promise<number[]> => {
  const { rows } = await api.owner.query(
    `insert into hookwright.events (id, tenant_id, event_type, body)
     select hookwright.next_id() - (hookwright.id_at(now()) - hookwright.id_at(now() - $4 * interval '1 day')),
            $1, $2, ${body}
     from generate_series(1, $3::integer) n returning id`,
    [tenant.id, type, count, days],
  );
  return rows.map(({ id }: { id: string }) => Number(id));
};

describe('a converter', () => {
  test('comes with a new schema, is shown, and stands in the audit log', async () => {
    await register('with.schema');
    const { eventType, proof } = dataOf(
      await update('with.schema', { schema: second, converter: toFirst }),
    ).updateEventType;
    expect(proof).toMatchObject({ fits: true, complete: true, sampleIssues: [], misfits: [] });
    expect(eventType).toEqual({
      version: 2,
      versions: [
        { version: 2, converter: [{ op: 'RENAME', path: 'email', to: 'mail', value: null }], converterFrom: null },
        { version: 1, converter: null, converterFrom: null },
      ],
    });
    const { auditLog } = dataOf(
      await by().ask('{ auditLog(first: 1, filter: { targetId: "with.schema" }) { edges { node { action after } } } }'),
    );
    expect(auditLog.edges[0].node).toMatchObject({
      action: 'EVENT_TYPE_UPDATED',
      after: { version: 2, converter: toFirst },
    });
  });

  test('needs a new schema, and the one that it was made for', async () => {
    await register('other.schema');
    expect(issuesOf(await update('other.schema', { description: 'x', converter: toFirst }))).toEqual([
      ['input.converter', 'schema_missing'],
    ]);
    expect(issuesOf(await update('other.schema', { schema: first, converter: [] }))).toEqual([
      ['input.converter', 'schema_unchanged'],
    ]);
  });

  test('that is malformed is refused with the place of each fault', async () => {
    await register('bad.steps');
    const converter = [
      { op: 'REMOVE', path: 'a[0]' },
      { op: 'MOVE', path: 'l[].a', to: 'b' },
      { op: 'SET', path: 'a' },
    ];
    expect(issuesOf(await update('bad.steps', { schema: second, converter }))).toEqual([
      ['input.converter.0.path', 'path_malformed'],
      ['input.converter.1.to', 'other_list'],
      ['input.converter.2.value', 'required'],
    ]);
    const many = Array(51).fill({ op: 'REMOVE', path: 'a' });
    expect(issuesOf(await update('bad.steps', { schema: second, converter: many }))).toEqual([
      ['input.converter', 'converter_too_long'],
    ]);
  });

  test('whose sample does not fit is refused', async () => {
    await register('bad.sample');
    const answer = await update('bad.sample', { schema: second, converter: [] });
    expect(issuesOf(answer)).toEqual(Array(2).fill(['input.converter', 'converter_does_not_fit']));
    expect(detailsOf(answer)).toEqual([
      'does not fit: the version before refuses what it makes of the sample',
      'makes of the sample: payload.mail is required',
    ]);
    await writeEvents(
      'bad.sample',
      2,
      `'{"id":"x","email":' || case when n = 2 then 'null,"mail":"a"' else '"a"' end || '}'`,
    );
    expect(detailsOf(await update('bad.sample', { schema: second, converter: [] }))[0]).toBe(
      'does not fit: the version before refuses what it makes of the sample and of 1 of 2 events of the last day',
    );
  });

  test('of a type that the service defines is refused as each change of its schema is', async () => {
    const builtIn = [[['input.schema', 'event_type_built_in']], [['input.name', 'event_type_built_in']]];
    const reserved = Array(2).fill([['input.name', 'event_type_reserved']]);
    for (const [name, codes] of [
      ['coupon.applied', builtIn],
      ['webhook.test', reserved],
      ['webhook.failing', reserved],
    ] as const) {
      const answers = [await update(name, { schema: second, converter: [] }), await add(name, { converter: toFirst })];
      expect(answers.map(issuesOf), name).toEqual(codes);
      const dry = await update(name, { schema: second, converter: [], dryRun: true });
      expect(issuesOf(dry), name).toEqual(codes[0]);
    }
  });

  test('needs a version before it', async () => {
    await register('one.version');
    const answer = await add('one.version', { converter: toFirst });
    expect(issuesOf(answer)).toEqual([['input.version', 'version_unknown']]);
    expect(detailsOf(answer)).toEqual([
      'is not there: one.version has one version only, so there is nothing to convert to',
    ]);
  });

  test('is written once: neither the API nor SQL of its role changes it', async () => {
    await register('once.only');
    dataOf(await update('once.only', { schema: second, converter: toFirst }));
    const answer = await add('once.only', { converter: [...toFirst, { op: 'REMOVE', path: 'x' }] });
    expect(issuesOf(answer)).toEqual([['input.version', 'converter_exists']]);
    const { pool } = api.services.db;
    const change = { text: `update hookwright.event_type_versions set converter = '[]'` };
    await expect(tenantTransaction(pool, null, (client) => query(client, change, []))).rejects.toThrow(
      'permission denied',
    );
    const again = { text: `select hookwright.set_converter('once.only', 2, '[]', false) as done` };
    expect(await tenantTransaction(pool, null, (client) => query(client, again, []))).toEqual([{ done: false }]);
    const inTenant = { text: `select hookwright.set_converter('once.only', 1, '[]', false) as done` };
    expect(await tenantTransaction(pool, tenant.id, (client) => query(client, inTenant, []))).toEqual([
      { done: false },
    ]);
  });
});

describe('the proof', () => {
  test('lists the two of 1,000 events of the last day that do not fit, and nothing changes', async () => {
    await register('two.misfits');
    dataOf(await update('two.misfits', { schema: second }));
    const ids = await writeEvents(
      'two.misfits',
      1_000,
      `'{"id":"x","email":' || case when n in (7, 500)
      then 'null' else '"a@example.com"' end || '}'`,
    );
    const misfits = [ids[499]!, ids[6]!];
    const answer = await add('two.misfits', { converter: toFirst });
    expect(issuesOf(answer)).toEqual(Array(3).fill(['input.converter', 'converter_does_not_fit']));
    expect(detailsOf(answer)).toEqual([
      'does not fit: the version before refuses what it makes of 2 of 1000 events of the last day',
      ...misfits.map(
        (id) => `makes of ${gid.event(id)} of ${gid.tenant(tenant.id)}: payload.mail must be a string, not null`,
      ),
    ]);
    const { eventType, proof } = dataOf(await add('two.misfits', { converter: toFirst, dryRun: true })).addConverter;
    expect(eventType.versions[0]).toMatchObject({ version: 2, converter: null });
    expect(proof).toEqual({
      fits: false,
      complete: true,
      sampleIssues: [],
      eventsLookedAt: 1_000,
      eventsJudged: 1_000,
      eventsFit: 998,
      misfits: misfits.map((id) => ({
        tenant: { id: gid.tenant(tenant.id) },
        eventId: gid.event(id),
        issues: [{ path: 'mail', detail: 'must be a string, not null' }],
      })),
    });
  });

  test('judges events of the last day that the new schema accepts, and tells how many those are', async () => {
    await register('old.forms', form({ total: { type: 'number' } }));
    await writeEvents('old.forms', 3, `'{"total":1}'`);
    await writeEvents('old.forms', 2, `'{"total":2,"amount":"free"}'`);
    await writeEvents('old.forms', 4, `'{"amount":"free"}'`);
    await api.owner.query(`select hookwright.make_partition('events', (now() at time zone 'UTC')::date - 2)`);
    await writeEvents('old.forms', 5, `'{"total":1,"amount":"old"}'`, 2);
    const schema = form({ total: { type: 'number' } }, ['total']);
    const converter = [{ op: 'RENAME', path: 'amount', to: 'total' }];
    const newer = { ...schema, description: 'Another one.' };
    const { proof } = dataOf(await update('old.forms', { schema: newer, converter, dryRun: true })).updateEventType;
    expect(proof).toMatchObject({ fits: false, eventsLookedAt: 9, eventsJudged: 5, eventsFit: 3 });
    expect(issuesOf(await update('old.forms', { schema: newer, converter }))).toHaveLength(3);
    expect(dataOf(await by().ask('{ eventType(name: "old.forms") { version } }')).eventType.version).toBe(1);
  });

  test('of a former version goes down to it by the later converters', async () => {
    await register('long.history');
    dataOf(await update('long.history', { schema: second }));
    const third = form({ id: text, contact: form({ email: { type: ['string', 'null'] } }) });
    const toSecond = [{ op: 'MOVE', path: 'contact.email', to: 'email' }];
    dataOf(await update('long.history', { schema: third, converter: toSecond }));
    await writeEvents('long.history', 2, `'{"id":"x","contact":{"email":"a"}}'`);
    await writeEvents('long.history', 1, `'{"id":"x","contact":{"email":null}}'`);
    const dry = { version: 2, converter: toFirst, dryRun: true };
    expect(dataOf(await add('long.history', dry)).addConverter.proof).toMatchObject({
      eventsJudged: 3,
      eventsFit: 2,
    });
    expect(issuesOf(await add('long.history', { ...dry, version: 1 }))).toEqual([['input.version', 'version_unknown']]);
    expect(issuesOf(await add('long.history', { ...dry, version: 4 }))).toEqual([['input.version', 'version_unknown']]);
  });

  test('of what is there can be read again, by platform keys', async () => {
    await register('read.again');
    dataOf(await update('read.again', { schema: second, converter: toFirst }));
    await writeEvents('read.again', 3, `'{"id":"x","email":' || case when n = 2 then 'null' else '"a"' end || '}'`);
    const ask = (version: number) =>
      `{ proof: converterProof(eventType: "read.again", version: ${version}) ${PROOF.slice('proof'.length)} }`;
    expect(dataOf(await by(reader).ask(ask(2)))).toMatchObject({
      proof: { fits: false, eventsJudged: 3, eventsFit: 2 },
    });
    expect(dataOf(await by(reader).ask(ask(1)))).toEqual({ proof: null });
    expect(codesOf(await by(tenant).ask(ask(2)))).toEqual(['FORBIDDEN']);
  });
});

describe('addConverter', () => {
  test('gives the current version its converter, for events from a minute later on', async () => {
    await register('added.later');
    dataOf(await update('added.later', { schema: second }));
    const before = Date.now();
    const { eventType } = dataOf(await add('added.later', { converter: toFirst })).addConverter;
    const [{ converterFrom, converter }] = eventType.versions;
    expect(converter).toHaveLength(1);
    const seconds = (Date.parse(converterFrom) - before) / 1_000;
    expect(seconds).toBeGreaterThan(55);
    expect(seconds).toBeLessThan(75);
  });

  test('is for platform keys', async () => {
    const input = { name: 'added.later', converter: [] };
    expect(codesOf(await by(tenant).mutate('addConverter', input, 'eventType { name }'))).toEqual(['FORBIDDEN']);
    expect(codesOf(await by().mutate('addConverter', { ...input, name: 'no.such' }, 'eventType { name }'))).toEqual([
      'NOT_FOUND',
    ]);
  });
});

describe('a release', () => {
  const create = (name: string, asking: Parameters<typeof api.by>[0] = platform) =>
    by(asking).mutate('createRelease', { name }, 'release { id name versions { eventType version } }');

  test('notes the present version of each event type', async () => {
    await register('in.release');
    const { release } = dataOf(await create('2026-03')).createRelease;
    expect(release).toMatchObject({ id: 'rl_2026-03', name: '2026-03' });
    expect(release.versions).toContainEqual({ eventType: 'in.release', version: 1 });
    dataOf(await update('in.release', { schema: second, converter: toFirst }));
    dataOf(await create('2026-11'));
    await register('after.releases');
    const { releases, ...named } = dataOf(
      await by(tenant).ask(
        '{ releases { name } old: release(name: "2026-03") { versions { eventType version } } new: release(name: "2026-11") { versions { eventType version } } }',
      ),
    );
    expect(releases.map(({ name }: { name: string }) => name)).toEqual(['2026-11', '2026-03']);
    const inRelease = ({ versions }: { versions: { eventType: string }[] }) =>
      versions.filter(({ eventType }) => /release/.test(eventType));
    expect([named['new'], named['old']].map(inRelease)).toEqual([
      [{ eventType: 'in.release', version: 2 }],
      [{ eventType: 'in.release', version: 1 }],
    ]);
    const { auditLog } = dataOf(
      await by().ask('{ auditLog(first: 1, filter: { action: RELEASE_CREATED }) { edges { node { targetId } } } }'),
    );
    expect(auditLog.edges[0].node.targetId).toBe('rl_2026-11');
  });

  test('has a name that no other one has, and that fits into ids', async () => {
    dataOf(await create('v1.0_a'));
    expect(codesOf(await create('v1.0_a'))).toEqual(['CONFLICT']);
    for (const name of ['', '-x', 'a b', '../x', 'x'.repeat(41), 'é']) {
      expect(issuesOf(await create(name)), name).toEqual([['input.name', 'release_name_malformed']]);
    }
    expect(codesOf(await create('mine', tenant))).toEqual(['FORBIDDEN']);
  });

  test('shows a tenant no hidden event types', async () => {
    await register('hidden.type');
    dataOf(await by().mutate('hideEventType', { name: 'hidden.type' }, 'eventType { name }'));
    dataOf(await create('with-hidden'));
    const names = async (asking: Parameters<typeof api.by>[0]) =>
      dataOf(
        await by(asking).ask('{ node(id: "rl_with-hidden") { ... on Release { versions { eventType } } } }'),
      ).node.versions.map(({ eventType }: { eventType: string }) => eventType);
    expect(await names(platform)).toContain('hidden.type');
    expect(await names(tenant)).not.toContain('hidden.type');
  });

  test('is one that an endpoint is pinned to, unless it does not exist', async () => {
    const input = { url: 'https://receiver.example.com/', eventTypes: ['*'], content: { release: '2026-03' } };
    const { webhook } = dataOf(
      await by(tenant).mutate('createWebhook', input, 'webhook { id content { release } }'),
    ).createWebhook;
    expect(webhook.content).toEqual({ release: '2026-03' });
    const change = (release: string | null) =>
      by(tenant).mutate('updateWebhook', { id: webhook.id, content: { release } }, 'webhook { content { release } }');
    const refused = await change('2031-01');
    expect(issuesOf(refused)).toEqual([['input.content.release', 'release_unknown']]);
    expect(detailsOf(refused)[0]).toContain('with-hidden');
    expect(dataOf(await change(null)).updateWebhook.webhook.content).toEqual({ release: null });
    const { rows } = await api.owner.query(
      `select release, format, ended_at is not null as ended from hookwright.webhook_contents where webhook_id = $1`,
      [numberIn(webhook.id)],
    );
    expect(rows).toEqual([{ release: '2026-03', format: 'JSON', ended: true }]);
  });
});
