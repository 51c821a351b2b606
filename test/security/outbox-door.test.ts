import pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { OUTBOX_ROLE } from '../../src/operations/emits/outbox.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeTenant } from '../support/factories.js';
import { JOBS_TABLE } from '../support/jobs.js';
import { OutboxApplication, refusalOf } from '../support/outbox-application.js';
import { acceptedPayloads } from '../support/payload-texts.js';
import { fc } from '../support/properties.js';

/** A hostile application with a login for the outbox, which can only emit for its tenant. */

const stack = await DeliveryStack.open();
await stack.webhook('http://127.0.0.1:9/');
const strangerId = (await makeTenant(stack.services)).id;
const shop = await OutboxApplication.open(stack);
await stack.rows(`insert into hookwright.event_types (name, description, schema, deprecated_at, text_fields)
                  values ('old.type', '', '{}', now(), null), ('custom.type', '', '{"type":"object"}', null, null)`);
afterAll(async () => {
  await shop[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const good = '{"code":"A","discount_type":"B"}';
interface Call {
  tenantId?: number | null;
  eventType?: string | null;
  body?: string | null;
  key?: string | null;
  checked?: boolean | null;
}
function emit(call: Call = {}, on: Pick<pg.ClientBase, 'query'> = shop.pool) {
  const usual = { tenantId: stack.tenantId, eventType: 'coupon.applied', body: good, key: null, checked: false };
  const { tenantId, eventType, body, key, checked } = { ...usual, ...call };
  return on.query(
    `select * from hookwright.emit(tenant_id => $1, event_type => $2, body => $3, idempotency_key => $4,
                                   schema_checked => $5)`,
    [tenantId, eventType, body, key, checked],
  );
}
/** An object, beside whose lists stand texts with brackets that nest nothing. */
const nested = (levels: number) =>
  `{"\\"[[":${'['.repeat(levels - 1)}${'"[{",'.repeat(600)}1${']'.repeat(levels - 1)}}`;
/** The body that is stored. */
async function storedOf(call: Call, on?: Pick<pg.ClientBase, 'query'>): Promise<string> {
  const { rows } = await emit(call, on);
  const [stored] = await stack.rows<{ body: string }>(
    `select body from hookwright.events where id = ${rows[0].event_id}`,
  );
  return stored!.body;
}
const countEvents = async () => (await stack.rows('select from hookwright.events')).length;

describe('the door refuses', () => {
  const required = 'The body breaks the schema of the event type: "discount_type" is required.';
  test.each<[string, Call, string, string | RegExp]>([
    ['another tenant', { tenantId: 0 }, 'HW001', /may not emit for tenant/],
    ['a type that nobody registered', { eventType: 'no.such' }, 'HW002', 'There is no such event type.'],
    ['a reserved type', { eventType: 'webhook.test', body: '{"message":"x"}' }, 'HW003', /Only the service/],
    ['a deprecated type', { eventType: 'old.type', checked: true }, 'HW004', 'The event type is deprecated.'],
    ['a text that is not JSON', { body: '{"code":' }, 'HW005', 'The body is not JSON.'],
    ['an empty text', { body: '' }, 'HW005', 'The body is not JSON.'],
    ['two objects', { body: `${good}${good}` }, 'HW005', 'The body is not JSON.'],
    ['single quotes', { body: "{'code':'A'}" }, 'HW005', 'The body is not JSON.'],
    ['NaN', { body: '{"code":NaN}' }, 'HW005', 'The body is not JSON.'],
    ['a raw line break in a string', { body: '{"code":"\n"}' }, 'HW005', 'The body is not JSON.'],
    ['endless depth', { body: '['.repeat(100_000) }, 'HW006', /deeper than 500 levels/],
    ['501 levels', { eventType: 'custom.type', body: nested(501), checked: true }, 'HW006', /deeper than 500 levels/],
    ['a list', { body: `[${good}]` }, 'HW005', /of type array, not an object/],
    ['null', { body: 'null' }, 'HW005', /of type null/],
    ['a string', { body: JSON.stringify(good) }, 'HW005', /of type string/],
    ['a list, whatever its schema', { eventType: 'custom.type', body: '[]', checked: true }, 'HW005', /array/],
    ['a missing field', { body: '{"code":"A"}' }, 'HW007', required],
    ['no fields', { body: '{}' }, 'HW007', /is required/],
    ['an extra field', { body: '{"code":"A","discount_type":"B","x":"y"}' }, 'HW007', /"x" is not a field/],
    ['a number', { body: '{"code":1,"discount_type":"B"}' }, 'HW007', /"code" must be a string/],
    ['a null', { body: '{"code":null,"discount_type":"B"}' }, 'HW007', /"code" must be a string/],
    ['an object', { body: '{"code":{},"discount_type":"B"}' }, 'HW007', /"code" must be a string/],
    ['a field twice', { body: '{"code":"A","code":"B","discount_type":"C"}' }, 'HW007', /twice/],
    ['a number behind a string', { body: '{"code":1,"code":"B","discount_type":"C"}' }, 'HW007', /must be/],
    ['an escaped NUL in a name', { body: '{"code\\u0000":"A","discount_type":"B"}' }, 'HW007', /is required/],
    ['a name that only looks right', { body: '{"\\\\u0063ode":"A","discount_type":"B"}' }, 'HW007', /is required/],
    ['a word for built-in types', { body: '{}', checked: true }, 'HW007', /is required/],
    ['an unchecked body of another schema', { eventType: 'custom.type', body: '{}' }, 'HW008', /cannot be checked/],
    ['null for a word', { eventType: 'custom.type', body: '{}', checked: null }, 'HW008', /cannot be checked/],
    ['an empty key', { key: '' }, 'HW010', /1 to 255 printable/],
    ['a key of 256 characters', { key: 'k'.repeat(256) }, 'HW010', /1 to 255 printable/],
    ['a key with a line break', { key: 'k\n' }, 'HW010', /1 to 255 printable/],
    ['a key that is not ASCII', { key: 'ü' }, 'HW010', /1 to 255 printable/],
    ['no tenant', { tenantId: null }, 'HW011', /must not be null/],
    ['no type', { eventType: null }, 'HW011', /must not be null/],
    ['no body', { body: null }, 'HW011', /must not be null/],
  ])('%s', async (_, call, code, message) => {
    const before = await countEvents();
    const refusal = await refusalOf(emit(call.tenantId === 0 ? { tenantId: strangerId } : call));
    expect(refusal).toMatchObject({ code, message: expect.stringMatching(message) });
    expect(refusal.hint).toBeTruthy();
    expect(await countEvents()).toBe(before);
  });

  test('no body that is nested 500 levels deep', async () => {
    await emit({ eventType: 'custom.type', body: nested(500), checked: true });
  });

  test('a key that was used for another body', async () => {
    await emit({ key: 'once' });
    expect(await refusalOf(emit({ key: 'once', body: ` ${good}` }))).toMatchObject({ code: 'HW009' });
  });

  test('a tenant that does not exist in the same words as one that is another’s', async () => {
    const foreign = await refusalOf(emit({ tenantId: strangerId }));
    const message = foreign.message.replace(`tenant ${strangerId}.`, 'tenant 999999.');
    expect(await refusalOf(emit({ tenantId: 999_999 }))).toEqual({ ...foreign, message });
  });

  const own = `array[${stack.tenantId}]::bigint[]`;
  const several = (tenants: string, rest: string) =>
    refusalOf(shop.pool.query(`select * from hookwright.emit_events(${tenants}, ${rest})`));

  test('what would pass others in the queue, or reach one webhook alone', async () => {
    const call = (rest: string) => several(own, `array['webhook.test'], array['{"message":"x"}'], ${rest}`);
    const message = 'only_webhook_ids, priorities and traceparents are for the service itself.';
    expect(await call('only_webhook_ids => array[1]')).toMatchObject({ code: 'HW011', message });
    expect(await call('priorities => array[-100], schema_checked => true')).toMatchObject({ message });
  });

  test('arrays that do not fit together, and more than 1,000 events in one call', async () => {
    for (const rest of [
      `array['coupon.applied'], null`,
      `array['coupon.applied', 'x'], array['${good}']`,
      `array['coupon.applied'], array['${good}', '${good}']`,
      `array['coupon.applied'], array['${good}'], array['k', 'l']`,
    ]) {
      expect(await several(own, rest), rest).toMatchObject({ code: 'HW011' });
    }
    expect(await several('null', `array['coupon.applied'], array['${good}']`)).toMatchObject({ code: 'HW011' });
    const many = `array_fill(${stack.tenantId}::bigint, array[1001])`;
    const rest = `array_fill('coupon.applied'::text, array[1001]), array_fill('{}'::text, array[1001])`;
    expect((await several(many, rest)).message).toBe('At most 1000 events fit into one call.');
  });
});

describe('the door accepts', () => {
  test.each([
    ['spaces and order as they are', ' {\n "discount_type" : "B",\t"code":"A"}\r\n'],
    ['escaped NULs and half surrogate pairs', '{"code":"\\u0000\\ud800","discount_type":"\\uDFFF\\\\u0000"}'],
    ['text beyond the first plane', '{"code":"𝄞\u2028","discount_type":"שלום"}'],
    ['quotes and SQL', `{"code":"'); drop table hookwright.events; --","discount_type":"$$"}`],
  ])('%s, and stores exactly that', async (_, body) => {
    expect(await storedOf({ body })).toBe(body);
  });

  test('any object of a type with another schema, on the word of the application', async () => {
    for (const body of ['{}', '{"a":1e400,"a":[null,{"\\u0000":"\\ud800"}]}']) {
      expect(await storedOf({ eventType: 'custom.type', body, checked: true })).toBe(body);
    }
  });
});

describe('escapes that JSON does not need', () => {
  test.each([
    ['slashes', '<b>https:\\/\\/a\\/<\\/b>', '<b>https://a/</b>'],
    ['a slash behind an escaped backslash', '\\\\/ \\\\\\/ \\\\\\\\/', '\\\\/ \\\\/ \\\\\\\\/'],
    ['what only looks like an escape', '\\\\u00e9 \\\\\\u00e9', '\\\\u00e9 \\\\é'],
    ['letters of two and three bytes, in capitals or not', '\\u00e9\\u00E9\\u65E5\\uFDFD', 'éé日﷽'],
    ['printable ASCII', '\\u0041\\u002f\\u003C\\u0027\\u0020\\u007e', "A/<' ~"],
    ['DEL, the C1 controls, separators and noncharacters', '\\u007f\\u0085\\u2028\\uffff', '\x7f\x85\u2028\uffff'],
    ['pairs of surrogates', '\\ud83d\\ude00\\uD83D\\uDE00\\udbff\\udfff', '😀😀\u{10ffff}'],
    ['a pair behind half a one', '\\ud83d\\ud83d\\ude00', '\\ud83d😀'],
  ])('are replaced: %s', async (_, written, stored) => {
    const body = (text: string) => `{ "code" : "${text}","discount_type":"B"}`;
    expect(await storedOf({ body: body(written) })).toBe(body(stored));
  });

  test.each([
    ['quotes, backslashes and their codes', '\\"\\\\\\u0022\\u005c\\u005C'],
    ['control characters', '\\b\\f\\n\\r\\t\\u0000\\u0008\\u001f\\u001F'],
    ['half pairs of surrogates', '\\ud83d \\ude00\\ud83d\\\\ude00 \\uDBFF'],
  ])('are no others: %s stay as they are', async (_, text) => {
    const body = `{"code":"${text}/","discount_type":"\\/"}`;
    expect(await storedOf({ body })).toBe(body.replace('\\/', '/'));
  });

  test('names too, and those of the schema', async () => {
    const body = '{"\\u0063ode":"\\u00e9","discount_type":"\\/"}';
    expect(await storedOf({ body })).toBe('{"code":"é","discount_type":"/"}');
    const other = '{"a\\/\\u00e9":[{"\\ud83d\\ude00":null}]}';
    expect(await storedOf({ eventType: 'custom.type', body: other, checked: true })).toBe('{"a/é":[{"😀":null}]}');
  });

  test('whatever is escaped, and however: what JSON.stringify leaves alone stands there itself', async () => {
    const codeOf = (text: string) =>
      text.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const escaped = fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).map((one) => {
      const isNeeded = JSON.stringify(one) !== `"${one}"`;
      return { written: codeOf(one), stored: isNeeded ? codeOf(one) : one };
    });
    const plain = fc
      .constantFrom('a', ' ', 'é', '/', '\\\\', '\\"', '\\n', 'u0041', '{', ':')
      .map((text) => ({ written: text, stored: text }));
    const pieces = fc.array(fc.oneof(escaped, plain, fc.constant({ written: '\\/', stored: '/' })));
    await fc.assert(
      fc.asyncProperty(pieces, async (texts) => {
        const body = (of: 'written' | 'stored') =>
          `{"code":"${texts.map((text) => text[of]).join('')}","discount_type":"B"}`;
        expect(JSON.parse(body('stored'))).toEqual(JSON.parse(body('written')));
        expect(await storedOf({ body: body('written') })).toBe(body('stored'));
      }),
    );
  });

  test('change no refusal: a text that is not JSON with them is not JSON without', async () => {
    for (const text of ['\\u00e', '\\x41', '\\0041', '\\+000041', '\\']) {
      expect((await refusalOf(emit({ body: `{"code":"\\/${text}","discount_type":"B"}` }))).code).toBe('HW005');
    }
    expect((await refusalOf(emit({ body: '\\/' }))).code).toBe('HW005');
    expect((await refusalOf(emit({ body: '{"code":"\\/","\\u0063ode":"B"}' }))).code).toBe('HW007');
  });
});

test('every payload that the API takes is stored as its very text, or without the escapes that it does not need', async () => {
  expect(acceptedPayloads.length).toBeGreaterThan(30);
  for (const { what, text, becomes } of acceptedPayloads) {
    const isUnescaped = ['escaped slashes', 'escaped letters'].includes(what);
    const stored = await storedOf({ eventType: 'custom.type', body: text, checked: true });
    expect(stored, what).toBe(isUnescaped ? becomes : text);
  }
});

test.each([`'; drop table hookwright.events; --`, '$$;select 1;$$', '%I %s', 'a"b', '\\', '*'])(
  '%s is a type that does not exist, and a key like any other',
  async (text) => {
    expect(await refusalOf(emit({ eventType: text }))).toMatchObject({ code: 'HW002' });
    const { rows } = await emit({ key: text });
    expect(rows[0]).toMatchObject({ delivery_count: 1 });
  },
);

describe('the login of an outbox', () => {
  test('may execute the functions of the door, and no other of ours', async () => {
    const { rows } = await shop.pool.query(
      `select proname as name from pg_proc
       where pronamespace in (select oid from pg_namespace where nspname in ('hookwright', 'hookwright_jobs'))
         and has_schema_privilege(pronamespace, 'usage') and has_function_privilege(oid, 'execute')
       order by 1`,
    );
    const names = ['emit', 'emit_events', 'schedule', 'tenant_id', 'unschedule'];
    expect(rows).toEqual(names.map((name) => ({ name })));
  });

  test('may touch no table, sequence or view of ours, nor make anything', async () => {
    const { rows } = await shop.pool.query(
      `select relname as name from pg_class c
       where relnamespace in (select oid from pg_namespace where nspname in ('hookwright', 'hookwright_jobs'))
         and case when relkind = 'S' then has_sequence_privilege(c.oid, 'usage, select, update')
             when relkind in ('r', 'p', 'v') then
               has_table_privilege(c.oid, 'select, insert, update, delete, truncate, references, trigger')
               or has_any_column_privilege(c.oid, 'select, insert, update, references')
             else false end`,
    );
    expect(rows).toEqual([]);
    for (const text of [
      'select * from hookwright.tenants',
      'select * from hookwright.outbox_grants',
      `insert into hookwright.outbox_grants (role_name, tenant_id) values (session_user, ${strangerId})`,
      'select body from hookwright.events',
      'delete from hookwright.events',
      'update hookwright.webhooks set active = false',
      'update hookwright.outbox_limits set payload_bytes_max = 2000000000',
      `select hookwright.judge_body('{}', null)`,
      'select hookwright.next_id()',
      `select * from hookwright.emit_events_once(null, null, null, null, null, null, null)`,
      'select * from hookwright.find_api_key(1)',
      `select * from ${JOBS_TABLE}`,
      `select hookwright_jobs.add_job('deliver')`,
      'create table hookwright.mine (id int)',
      'create function hookwright.mine() returns int language sql as $$ select 1 $$',
      'drop function hookwright.emit(bigint, text, text, text, boolean, text, integer, integer, text, jsonb)',
      'set role hookwright_api',
      `grant hookwright_api to ${shop.role}`,
      `grant ${OUTBOX_ROLE} to pg_monitor`,
      'set session_replication_role = replica',
      'copy hookwright.events to stdout',
    ]) {
      const { code } = await refusalOf(shop.pool.query(text));
      expect(['42501', '0LP01'], text).toContain(code);
    }
  });

  test('owns nothing, logs in nowhere, and is a member of nothing: the role behind it', async () => {
    const [attributes] = await stack.rows<object>(
      `select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin from pg_roles where rolname = '${OUTBOX_ROLE}'`,
    );
    expect(Object.values(attributes!)).toEqual([false, false, false, false, false]);
    expect(await stack.rows(`select from pg_auth_members where member = '${OUTBOX_ROLE}'::regrole`)).toEqual([]);
  });

  test('counts itself, not the role that it takes on: another’s grants are not to be had by SET ROLE', async () => {
    await using other = await OutboxApplication.open(stack, [strangerId]);
    await stack.rows(`grant ${other.role} to ${shop.role}`);
    await shop.transaction(async (client) => {
      await client.query(`set local role ${other.role}`);
      await client.query('savepoint s');
      expect(await refusalOf(emit({ tenantId: strangerId }, client))).toMatchObject({ code: 'HW001' });
      await client.query('rollback to savepoint s');
      expect((await emit({}, client)).rowCount).toBe(1);
    });
  });

  test('without the role of the outbox cannot reach the door, whatever is in the grants table', async () => {
    await using other = await OutboxApplication.open(stack, [strangerId]);
    await stack.rows(`revoke ${OUTBOX_ROLE} from ${other.role}`);
    expect(await refusalOf(emit({ tenantId: strangerId }, other.pool))).toMatchObject({ code: '42501' });
  });
});

describe('a session that prepared an ambush', () => {
  test('with functions, tables and operators of its own first in search_path: none of them is called', async () => {
    await using trap = await OutboxApplication.open(stack);
    const { role } = trap;
    await trap.transaction(async (client) => {
      await client.query(`set local search_path = pg_temp, ${role}, pg_catalog, hookwright, public`);
      await client.query(`create table ${role}.stolen (who text)`);
      // security invoker: what runs them with more rights than the trap's own leaves its name here.
      const theft = `begin insert into ${role}.stolen values (current_user); return`;
      for (const [signature, type, value] of [
        ['next_id()', 'bigint', '1'],
        ['id_clock()', 'bigint', '1'],
        ['now()', 'timestamptz', `'2000-01-01'`],
        ['octet_length(text)', 'integer', '1'],
        ['cardinality(anyarray)', 'integer', '1'],
        ['pg_has_role(name, text, text)', 'boolean', 'true'],
        ['pg_has_role(name, name, text)', 'boolean', 'true'],
        ['current_setting(text)', 'text', `'hookwright_api'`],
        ['sha256(bytea)', 'bytea', `''`],
        ['pg_notify(text, text)', 'integer', '1'],
        ['enqueue_new_deliveries(bigint[], bigint[], integer[])', 'integer', '1'],
      ]) {
        await client.query(
          `create function ${role}.${signature} returns ${type} language plpgsql as $f$ ${theft} ${value}; end $f$`,
        );
      }
      for (const table of ['outbox_grants', 'outbox_limits', 'event_types', 'tenants', 'webhooks', 'pg_roles']) {
        await client.query(`create temp table ${table} (id int)`);
      }
      await client.query(
        `create function ${role}.same(text, text) returns boolean language plpgsql as $f$ ${theft} true; end $f$`,
      );
      await client.query(`create operator ${role}.= (leftarg = text, rightarg = text, procedure = ${role}.same)`);
      const { rows } = await emit({}, client);
      expect(rows[0]).toMatchObject({ delivery_count: 1 });
      await client.query('savepoint s');
      expect(await refusalOf(emit({ tenantId: strangerId }, client))).toMatchObject({ code: 'HW001' });
      await client.query('rollback to savepoint s');
      const { rows: stolen } = await client.query(`select distinct who from ${role}.stolen where who <> session_user`);
      expect(stolen).toEqual([]);
    });
  });

  test('with row-level security off gets nothing at all', async () => {
    const off = shop.transaction(async (client) => {
      await client.query('set local row_security = off');
      await emit({}, client);
    });
    expect((await refusalOf(off)).message).toContain('row-level security');
  });

  test.each([
    'set standard_conforming_strings = off',
    `set "app.tenant" = '1'`,
    'set escape_string_warning = off',
    'set client_encoding = latin1',
    'set plan_cache_mode = force_custom_plan',
    'set check_function_bodies = off',
    `set role ${OUTBOX_ROLE}`,
  ])('with “%s” is judged as every other', async (setting) => {
    const client = new pg.Client({ connectionString: shop.url });
    await client.connect();
    try {
      await client.query(setting);
      const body = '{"code":"\\u0000\\\\\\/","discount_type":"B"}';
      expect(await storedOf({ body, key: setting }, client)).toBe(body.replace('\\/', '/'));
      const brackets = `{"code":"${'['.repeat(600)}","discount_type":"B"}`;
      expect((await emit({ body: brackets }, client)).rows).toHaveLength(1);
      expect((await refusalOf(emit({ tenantId: strangerId }, client))).code).toBe('HW001');
      expect((await refusalOf(emit({ body: '{}' }, client))).code).toBe('HW007');
    } finally {
      await client.end();
    }
  });
});
