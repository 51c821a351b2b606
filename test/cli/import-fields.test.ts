import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, getNamedType, isInputObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask } from '../../src/cli/developer/connection/ask.js';
import { readLine, type WebhookLine } from '../../src/cli/developer/import/lines/line.js';
import { newWebhook } from '../../src/cli/developer/import/lines/webhook-input.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { runHere } from '../support/command.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeKey } from '../support/factories.js';
import { issueCertificate } from '../support/issue-certificate.js';

/** Every field that a webhook can be made with moves in, and comes out as it went in. */

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'hookwright-import-fields-'));
let stack: DeliveryStack;
let api: ApiOverSockets;
let key: string;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  api = await ApiOverSockets.open(stack.services, stack.tenantId);
  key = (await makeKey(stack.services, null, ['platform:admin'])).key;
  for (const name of ['2026-01', '2026-02']) {
    await ask(
      connection(),
      'mutation ($input: CreateReleaseInput!) { createRelease(input: $input) { release { id } } }',
      {
        input: { name },
      },
    );
  }
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await api[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const connection = () => ({ url: `http://127.0.0.1:${api.port}`, key, keyFrom: 'the test' });

/** Why a line does not have them, docs/from-your-own.md says. */
const NOT_CARRIED = ['scope', 'idempotencyKey', 'delivery.removeHeaders', 'delivery.reset'];

type Values = Record<string, unknown>;

const authority = issueCertificate({ subject: 'Acme CA', isAuthority: true });
const other = issueCertificate({ subject: 'Other CA', isAuthority: true });
const shapeOf = (field: string) => `subscription { event { ... on CouponApplied { ${field} } } }`;

/** Values of fields in two states each. One webhook cannot have all of them: a content has one form. */
const samples: Record<string, readonly [Values, Values]> = {
  called: [
    {
      ...{ url: 'https://hooks.acme.com/in', events: ['coupon.applied'] },
      ...{ name: 'Ledger', description: 'Invoices', metadata: { team: 'billing' } },
      ...{ timeoutMs: 5_000, retryDelaysSeconds: [60, 600], recovery: 'AUTOMATIC', ratePerSecond: 2.5 },
      ...{ concurrencyMax: 3, method: 'PUT', signing: 'SECRET_AND_KEY', callback: true, compat: 'svix' },
      headers: { 'X-Env': { value: 'prod', secret: false } },
      auth: { basic: { username: 'acme', password: 'invented password' } },
      tls: { caPem: authority.certificate },
      filter: { field: { path: 'code', op: 'EQ', value: 'SUMMER' } },
      ...{ release: '2026-01', shape: shapeOf('code') },
      ordering: {
        ...{ by: 'KEY', keyPath: 'code', keep: 'LATEST', settleSeconds: 1.5, settleMaxSeconds: 30 },
        onFailure: 'BLOCK',
      },
    },
    {
      ...{ url: 'https://new.acme.com/in', events: ['*'] },
      ...{ name: 'Books', description: 'All of it', metadata: { team: 'books' } },
      ...{ timeoutMs: 6_000, retryDelaysSeconds: [], recovery: 'MANUAL', ratePerSecond: 3 },
      ...{ concurrencyMax: 4, method: 'POST', signing: 'SECRET', callback: false, compat: 'convoy' },
      headers: { 'X-Env': { value: 'test', secret: false } },
      auth: { bearer: 'invented-token' },
      tls: { caPem: other.certificate },
      filter: { field: { path: 'code', op: 'EQ', value: 'WINTER' } },
      ...{ release: '2026-02', shape: shapeOf('discount_type') },
      ordering: {
        ...{ by: 'ENDPOINT', keyPath: 'discount_type', keep: 'LATEST', settleSeconds: 2, settleMaxSeconds: 20 },
        onFailure: 'CONTINUE',
      },
    },
  ],
  templated: [
    { format: 'TEMPLATE', template: { said: '{{code}}' } },
    { format: 'TEMPLATE', template: ['{{code}}'] },
  ],
  chat: [
    { format: 'SLACK', text: 'Used: {{code}}' },
    { format: 'TEAMS', text: 'Seen: {{code}}' },
  ],
};

const lineOf = (externalId: string, values: Values): WebhookLine => {
  const written = {
    ...{ v: 1, from: `own:${externalId}`, tenant: { externalId: 'cust_1' }, externalId },
    ...{ url: `https://hooks.acme.com/${externalId}`, events: ['*'], secret: `invented secret of ${externalId}` },
    ...{ previousSecret: 'an invented secret before it', previousSecretExpiresAt: '2099-01-01T00:00:00Z' },
    ...{ active: false, ...values },
  };
  const read = readLine(JSON.stringify(written));
  expect(read).not.toHaveProperty('problems');
  return (read as { line: WebhookLine }).line;
};
const linesOf = (state: 0 | 1) => Object.entries(samples).map(([name, states]) => lineOf(name, states[state]));

let made = 0;
function write(lines: readonly WebhookLine[], ...options: string[]) {
  const file = join(folder, `${++made}.jsonl`);
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  return runHere(['import', 'write', file, '--url', connection().url, ...options], { HOOKWRIGHT_API_KEY: key });
}

/** The names of an input, with those of the inputs in it that are options of groups. */
function inputPaths(name: string, above = ''): string[] {
  const type = schema.getType(name);
  return !isInputObjectType(type)
    ? []
    : Object.values(type.getFields()).flatMap((field) => {
        const inner = getNamedType(field.type).name;
        const isGroup = above === '' && isInputObjectType(schema.getType(inner));
        return isGroup ? inputPaths(inner, `${field.name}.`) : [above + field.name];
      });
}
const schema = buildSchema(readFileSync(join(root, 'schema.graphql'), 'utf8'));
const groups = ['delivery', 'content', 'ordering'];

test('a line says whatever createWebhook takes, but for what only requests say', () => {
  const given = linesOf(0).flatMap((line) =>
    Object.entries(newWebhook(line, Date.now()).input).flatMap(([name, value]) =>
      groups.includes(name) ? Object.keys(value as object).map((inner) => `${name}.${inner}`) : [name],
    ),
  );
  const taken = inputPaths('CreateWebhookInput');
  expect(taken.length).toBeGreaterThan(30);
  expect([...new Set(given)].sort()).toEqual(taken.filter((name) => !NOT_CARRIED.includes(name)).sort());
  const docs = readFileSync(join(root, 'docs/from-your-own.md'), 'utf8');
  const names = Object.values(samples).flatMap(([first]) => [
    ...Object.keys(first),
    ...Object.keys((first['ordering'] as object | undefined) ?? {}),
  ]);
  expect(names.filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
});

/** Parts of values that readers get, in place of the values themselves. */
const SHOWN: Record<string, { parts: string; of: (value: never) => unknown }> = {
  headers: {
    parts: '{ name value secret }',
    of: (all: Record<string, object>) => Object.entries(all).map(([name, one]) => ({ name, ...one })),
  },
  auth: {
    parts: '{ kind username }',
    of: ({ basic }: { basic?: { username: string } }) =>
      basic ? { kind: 'BASIC', username: basic.username } : { kind: 'BEARER', username: null },
  },
  tls: {
    parts: '{ ca { subjects } }',
    of: ({ caPem }: { caPem: string }) => ({
      ca: { subjects: [caPem === authority.certificate ? 'CN=Acme CA' : 'CN=Other CA'] },
    }),
  },
};

/** A line's values as the API shows them: by groups. */
function shownOf(values: Values): Values {
  const { events, ...others } = values;
  const placed: Values = {};
  for (const [name, value] of Object.entries(others)) {
    const group = groups.find((one) => inputPaths('CreateWebhookInput').includes(`${one}.${inputName(name)}`));
    const shown = SHOWN[name]?.of(value as never) ?? value;
    Object.assign(
      placed,
      group === undefined ? { [name]: shown } : { [group]: { ...(placed[group] as Values), [name]: shown } },
    );
  }
  return { ...placed, ...(events === undefined ? {} : { eventTypes: events }) };
}
const inputName = (name: string) => (name === 'headers' ? 'setHeaders' : name);

/** The same of the webhooks that are there. */
async function readBack(state: 0 | 1): Promise<Record<string, Values>> {
  const { tenant } = await ask<{ tenant: { id: string } }>(connection(), '{ tenant(externalId: "cust_1") { id } }');
  const found: Record<string, Values> = {};
  for (const [externalId, states] of Object.entries(samples)) {
    const selection = selectionOf(shownOf(states[state]));
    const text = `{ webhook(externalId: "${externalId}") { ${selection} } }`;
    ({ webhook: found[externalId] } = await ask<{ webhook: Values }>({ ...connection(), tenant: tenant.id }, text));
  }
  return found;
}

const selectionOf = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => {
      const inner = groups.includes(name) ? `{ ${selectionOf(value as Values)} }` : SHOWN[name]?.parts;
      return `${name} ${inner ?? ''}`;
    })
    .join(' ');

const shownAs = (state: 0 | 1) =>
  Object.fromEntries(Object.entries(samples).map(([name, states]) => [name, shownOf(states[state])]));

describe('what moves in', () => {
  test('is there as the lines have it, and the next run finds nothing to change', async () => {
    const dry = await write(linesOf(0), '--dry-run');
    expect(dry.output).toContain('Webhooks: 3 would be made');
    expect((await write(linesOf(0))).output).toContain('Webhooks: 3 made');
    expect(await readBack(0)).toEqual(shownAs(0));
    expect((await write(linesOf(0), '--update')).output).toContain('Webhooks: 3 there already');
  });

  test('differs in every field that a later file has otherwise, and each is changed with --update alone', async () => {
    const differing = Object.values(samples).flatMap(([first, second]) => differences(first, second));
    expect(differing.length).toBeGreaterThan(25);
    const shown = await write(linesOf(1), '--update', '--dry-run');
    for (const name of differing) {
      expect(shown.output).toMatch(new RegExp(`^  ${name}: `, 'm'));
    }
    expect(await readBack(0)).toEqual(shownAs(0));
    expect((await write(linesOf(1), '--update')).output).toContain('Webhooks: 3 changed');
    expect(await readBack(1)).toEqual(shownAs(1));
    expect((await write(linesOf(1), '--update')).output).toContain('Webhooks: 3 there already');
  });
});

/** As a run names them. */
const differences = (first: Values, second: Values): string[] =>
  Object.keys(first)
    .filter((name) => JSON.stringify(first[name]) !== JSON.stringify(second[name]))
    .flatMap((name) =>
      name === 'ordering'
        ? differences(first[name] as Values, second[name] as Values).map((inner) => `ordering.${inner}`)
        : [name === 'events' ? 'eventTypes' : name],
    );
