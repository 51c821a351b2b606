import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { pullTypes } from '../../src/cli/developer/types/pull.js';
import { pushTypes } from '../../src/cli/developer/types/push.js';
import { deprecateEventType } from '../../src/operations/event-types/register-event-type.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeKey } from '../support/factories.js';

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

const put = (name: string, schema: object | string) =>
  writeFileSync(join(folder, `${name}.json`), typeof schema === 'string' ? schema : JSON.stringify(schema, null, 2));
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
const push = (options: object = { yes: true }) => heard(() => pushTypes(folder, { ...at(), ...options }));
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
    expect.stringMatching(/^2 event types: 1 changed, 1 unchanged at/),
    'order.paid is changed.',
    '',
  ]);
  expect(await versions()).toEqual({ 'order.paid': 2, 'order.sent': 1 });

  put('order.sent', { ...order({ order_id: { ...id, maxLength: 9 } }, ['order_id'], 'An order was sent.') });
  expect((await push({ dryRun: true })).said).toContain('The samples of both forms pass both schemas (version 1,');
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
