import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ask } from '../../src/cli/developer/connection/ask.js';
import type { Connection } from '../../src/cli/developer/connection/connection.js';
import { pullTypes } from '../../src/cli/developer/types/pull.js';
import { pushTypes } from '../../src/cli/developer/types/push.js';
import { deprecateEventType } from '../../src/operations/event-types/register-event-type.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeKey } from '../support/factories.js';
import { gid } from '../support/ids.js';

const folder = mkdtempSync(join(tmpdir(), 'hookwright-types-'));
let stack: DeliveryStack;
let api: ApiOverSockets;
let key: string;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  api = await ApiOverSockets.open(stack.services, stack.tenantId);
  key = (await makeKey(stack.services, null, ['platform:admin'])).key;
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const put = (name: string, schema: object | string, where = folder) =>
  writeFileSync(join(where, `${name}.json`), typeof schema === 'string' ? schema : JSON.stringify(schema, null, 2));
const order = (properties: object, required: string[], description = 'An order was paid.') => ({
  ...{ $schema: 'https://json-schema.org/draft/2020-12/schema', description, type: 'object', properties, required },
  additionalProperties: false,
});

/** What a command writes, and the code that the program would exit with. */
async function heard(work: () => Promise<void>): Promise<{ said: string; code: number }> {
  let said = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
  const before = process.exitCode;
  try {
    await work();
    return { said, code: Number(process.exitCode ?? 0) };
  } catch (error) {
    return { said: `${said}${(error as Error).message}`, code: 1 };
  } finally {
    write.mockRestore();
    process.exitCode = before;
  }
}

const at = () => ({ url: `http://127.0.0.1:${api.port}`, key });
const push = (options: object = { yes: true }, where = folder) =>
  heard(() => pushTypes(where, { ...at(), ...options }));
const versions = async () =>
  Object.fromEntries(
    (
      await stack.rows<{ name: string; version: number }>(
        `select name, version from hookwright.event_types where name like 'order.%' order by 1`,
      )
    ).map(({ name, version }) => [name, version]),
  );
const id = { type: 'string', examples: ['42'] };

test('types push shows what is new, registers it once, and leaves nothing to push', async () => {
  put('order.paid', order({ order_id: id }, ['order_id']));
  put('order.sent', order({ order_id: id }, ['order_id'], 'An order was sent.'));
  for (const [options, code] of [
    [{ check: true }, 2],
    [{ dryRun: true }, 0],
    [{}, 1],
  ] as const) {
    const looked = await push(options);
    expect(looked).toMatchObject({ said: expect.stringContaining('order.paid: new\norder.sent: new\n'), code });
    expect(looked.said).toContain(`2 event types: 2 new at http://127.0.0.1:${api.port}.`);
  }
  expect((await push({})).said).toContain('Nobody can be asked here: run it with --yes');
  expect(await versions()).toEqual({});

  expect(await push()).toMatchObject({ said: expect.stringContaining('order.sent is registered.'), code: 0 });
  expect(await push()).toMatchObject({
    said: expect.stringMatching(/^2 event types: 2 unchanged at .*\nThere is nothing to push\.\n$/),
  });
  expect((await push({ check: true })).code).toBe(0);
  expect(await versions()).toEqual({ 'order.paid': 1, 'order.sent': 1 });
});

test('a change is shown rule by rule, with what the old and the new form break', async () => {
  put(
    'order.paid',
    order({ order_id: id, currency: { enum: ['EUR', 'USD'] } }, ['order_id', 'currency'], 'It was paid.'),
  );
  put('order.sent', JSON.parse(JSON.stringify(order({ order_id: id }, ['order_id'], 'An order was sent.'))));
  const { said } = await push();
  expect(said.split('\n')).toEqual([
    'order.paid: changed',
    '  - description: An order was paid.',
    '  + description: It was paid.',
    '  + properties.currency.enum: "EUR"',
    '  + properties.currency.enum: "USD"',
    '  + required: "currency"',
    expect.stringMatching(/^ {2}! Not compatible: events in the form of version 1 will be refused: .*'currency'/),
    expect.stringMatching(/^ {2}! Not compatible: receivers that check by version 1 refuse the new form: .*additional/),
    '  No event or webhook uses it.',
    expect.stringMatching(/^2 event types: 1 changed, 1 unchanged at/),
    'order.paid is changed.',
    '',
  ]);
  expect(await versions()).toEqual({ 'order.paid': 2, 'order.sent': 1 });

  put('order.sent', { ...order({ order_id: { ...id, maxLength: 9 } }, ['order_id'], 'An order was sent.') });
  expect((await push({ dryRun: true })).said).toContain('The samples of both forms pass both schemas (version 1,');
});

describe('a change that breaks something', () => {
  const total = { type: 'object', properties: { amount: { type: 'number' } } };
  const changed = order({ order_id: id, amount: { type: 'number' } }, ['amount'], 'An order was billed.');
  const own = mkdtempSync(join(tmpdir(), 'hookwright-breaking-'));
  const file = (schema: object) => put('order.billed', schema, own);
  let eventId: number;
  let webhookId: number;
  beforeAll(async () => {
    file(order({ order_id: id, total }, ['order_id'], 'An order was billed.'));
    await push({ yes: true }, own);
    stack.services.eventTypes.forget();
    eventId = await stack.emit('order.billed', { order_id: 'a', total: { amount: 1 } });
    const filter = { field: { path: 'total.amount', op: 'GT', value: 5 } };
    const { createWebhook } = await ask<{ createWebhook: { webhook: { databaseId: number } } }>(
      { ...at(), key: api.key, keyFrom: '' } as Connection,
      `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { databaseId } } }`,
      { input: { url: 'https://receiver.example.com/', eventTypes: ['order.billed'], content: { filter } } },
    );
    webhookId = createWebhook.webhook.databaseId;
  });

  afterAll(() => rmSync(own, { recursive: true }));

  /** Answers the question of a terminal. */
  async function atTerminal(answer: string) {
    const input = Object.assign(new PassThrough(), { isTTY: true });
    const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as never);
    const wasTerminal = process.stdout.isTTY;
    process.stdout.isTTY = true;
    try {
      const heard = push({}, own);
      input.write(`${answer}\n`);
      return await heard;
    } finally {
      process.stdout.isTTY = wasTerminal;
      stdin.mockRestore();
    }
  }
  const breaks = () => {
    const of = `of tenant (${gid.tenant(stack.tenantId)})`;
    return [
      '  ! Breaks: events like 1 of the last 1, such as',
      `    ${gid.event(eventId)} ${of}: amount is required; total is not a field of this event type`,
      `  ! Breaks: the filter of ${gid.webhook(webhookId)} ${of}: The new schema does not have total.amount.`,
    ].join('\n');
  };

  test('is shown, and refused where nobody can be asked', async () => {
    file(changed);
    const refused = await push({}, own);
    expect(refused.said).toContain(breaks());
    expect(refused.said).toContain(
      'order.billed breaks what is listed above, so nothing was pushed. Nobody can be asked here: run it with --yes',
    );
    expect(refused.code).toBe(1);
    expect(await push({ dryRun: true }, own)).toMatchObject({ said: expect.stringContaining(breaks()), code: 0 });
    expect((await push({ check: true }, own)).said).not.toContain('Breaks:');
    expect(await versions()).toMatchObject({ 'order.billed': 1 });
  });

  test('is asked about at a terminal', async () => {
    const no = await atTerminal('n');
    expect(no.said).toContain('order.billed breaks what is listed above. Push 1 event type all the same? [y/N] ');
    expect(no.said).toContain('Nothing was pushed.');
    expect(await versions()).toMatchObject({ 'order.billed': 1 });
    expect((await atTerminal('y')).said).toContain('order.billed is changed.');
    expect(await versions()).toMatchObject({ 'order.billed': 2 });
  });

  test('is pushed with --yes, and another one says that it breaks nothing', async () => {
    file(order({ order_id: id, total }, ['order_id'], 'An order was billed.'));
    expect((await push({ yes: true }, own)).said).toContain(
      'It breaks no event of the last 1, and no option of 1 webhook.',
    );
    file(changed);
    const { said, code } = await push({ yes: true }, own);
    expect(said).toContain(breaks());
    expect(said).toContain('order.billed is changed.');
    expect(code).toBe(0);
    expect(await versions()).toMatchObject({ 'order.billed': 4 });
  });

  test('is not known to a key that may not change event types', async () => {
    file(order({ order_id: id, total }, ['order_id'], 'An order was billed.'));
    const { said, code } = await push({ dryRun: true, key: api.key }, own);
    expect(said).toContain('What it breaks is not known: ');
    expect(code).toBe(0);
  });
});

test('a deprecated type is left as it is', async () => {
  await deprecateEventType(stack.services.db, { name: 'order.sent', deprecated: true }, commandLine);
  stack.services.eventTypes.forget();
  expect(await push()).toMatchObject({
    said: expect.stringMatching(
      /^order\.sent: deprecated\n {2}It differs, and is left.*\n.*\nThere is nothing to push/,
    ),
    code: 0,
  });
});

test('a push that fails in part says what was not pushed, and goes on with that the next time', async () => {
  put('booking.created', order({ order_id: id }, ['order_id']));
  put('order.zero', order({ order_id: id }, ['order_id']));
  const first = await push();
  expect(first.code).toBe(1);
  expect(first.said).toContain('1 of 2 event types were pushed. Run it again for the others: it finds what is left.\n');
  expect(first.said).toMatch(/\nbooking\.created: .*schema cannot be changed/);
  expect(await versions()).toMatchObject({ 'order.zero': 1 });
  expect((await push()).said).toContain('0 of 1 event types were pushed.');
  rmSync(join(folder, 'booking.created.json'));

  put('order.more', order({ order_id: id }, ['order_id']));
  const tenant = await makeKey(stack.services, stack.tenantId, ['events:emit']);
  expect((await push({ yes: true, key: tenant.key })).said).toMatch(
    /0 of 1 event types were pushed\. It takes a platform key: .*\norder\.more: .*platform:admin/,
  );
  rmSync(join(folder, 'order.more.json'));
});

test('files that cannot be right are named before anything is pushed', async () => {
  put('order', order({}, []));
  put('webhook.test', order({}, []));
  put('order.broken', '{');
  put('order.silent', { type: 'object' });
  put('order.wrong', { description: 'A', type: 'object', unevaluatedProperties: false });
  put('order.good', `\uFEFF${JSON.stringify(order({ order_id: id }, ['order_id']))}`);
  const { said, code } = await push();
  expect(code).toBe(1);
  const lines = said.replaceAll(`${folder}/`, '').split('\n');
  expect(lines).toEqual([
    'Nothing was pushed, because files are wrong.',
    expect.stringMatching(/^order\.broken\.json: is not JSON: /),
    expect.stringMatching(/^order\.json: order is not the name of an event type/),
    expect.stringMatching(/^order\.silent\.json: needs a "description"/),
    expect.stringMatching(/^order\.wrong\.json: unevaluatedProperties is not supported: /),
    expect.stringMatching(/^webhook\.test\.json: webhook\.test is one of the service itself/),
  ]);
  expect(await versions()).not.toHaveProperty('order.good');
  expect((await heard(() => pushTypes(join(folder, 'nowhere'), at()))).said).toMatch(/^The folder .* cannot be read: /);
});

test('types pull prints a module with every type, those of the service too', async () => {
  const { said } = await heard(() => pullTypes({ ...at(), key: api.key }));
  expect(said).toContain('export interface HookwrightEvents {');
  expect(said).toMatch(
    /\/\*\* It was paid\. \*\/\nexport type OrderPaid = \{\n {2}order_id: string;\n {2}currency: "EUR" \| "USD";\n\};/,
  );
  expect(said).toContain('  "booking.created": BookingCreated;');
  expect(said).toContain('  "webhook.test": WebhookTest;');
  expect(said).toContain('@deprecated Hookwright refuses further events of this type.');
});

/** Makes an endpoint that is pinned to a release, and sends one field. */
async function pin(eventType: string, release: string, path: string): Promise<void> {
  stack.services.eventTypes.forget();
  stack.services.releases.forget();
  const content = { release, format: 'TEMPLATE', template: { value: `{{${path}}}` } };
  await ask(
    { ...at(), key: api.key, keyFrom: '' } as Connection,
    `mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id } } }`,
    { input: { url: 'https://receiver.example.com/', eventTypes: [eventType], content } },
  );
}

test('types push brings converters with new schemas, adds missing ones, and creates a release', async () => {
  const where = mkdtempSync(join(tmpdir(), 'hookwright-converters-'));
  const text = { type: 'string' };
  const converters = async () => {
    const rows = await stack.rows<{ version: number; steps: number | null }>(
      `select version, json_array_length(converter) as steps from hookwright.event_type_versions
       where event_type = 'moved.user' order by 1`,
    );
    return rows.map(({ version, steps }) => [version, steps]);
  };
  try {
    put('moved.user', order({ name: text }, ['name']), where);
    expect((await push({ yes: true, release: '2026-03' }, where)).said).toContain('Release 2026-03 is created.');
    const rename = { op: 'RENAME', path: 'title', to: 'name' };
    put('moved.user', { ...order({ title: text }, ['title']), converter: [{ ...rename, op: 'RENAM' }] }, where);
    expect((await push({ yes: true }, where)).said).toContain('converter.0.op must be one of RENAME');
    await pin('moved.user', '2026-03', 'name');
    put('moved.user', order({ title: text }, ['title']), where);
    const breaks = 'Breaks: the template of';
    expect((await push({ dryRun: true }, where)).said).toContain(breaks);
    put('moved.user', { ...order({ title: text }, ['title']), converter: [{ ...rename, to: 'nam' }] }, where);
    expect((await push({ dryRun: true }, where)).said).toContain('! Its converter does not fit the sample');
    put('moved.user', { ...order({ title: text }, ['title']), converter: [rename] }, where);
    const { said } = await push({ dryRun: true }, where);
    expect(said).toContain('It breaks no event of the last 0, and no option of 1 webhook.');
    expect(said).not.toContain('does not fit');
    expect((await push({ yes: true }, where)).said).toContain('+ converter from version 2 to 1: 1 step');
    expect((await push({ yes: true }, where)).said).toContain('There is nothing to push.');
    // The converter that the file still has is that of version 2.
    put('moved.user', { ...order({ label: text }, ['label']), converter: [rename] }, where);
    expect((await push({ yes: true }, where)).said).toContain('moved.user is changed.');
    expect(await converters()).toEqual([
      [1, null],
      [2, 1],
      [3, null],
    ]);
    put(
      'moved.user',
      { ...order({ label: text }, ['label']), converter: [{ ...rename, path: 'label', to: 'title' }] },
      where,
    );
    expect((await push({ yes: true }, where)).said).toContain('+ converter from version 3 to 2: 1 step');
    expect((await converters()).at(-1)).toEqual([3, 1]);
    expect((await push({ yes: true, release: '2026-03' }, where)).said).toContain(
      'There is a release 2026-03 already.',
    );
  } finally {
    rmSync(where, { recursive: true });
  }
});
