import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { functions } from '../../migrations/functions.js';
import { selectToSend, sentNames } from '../../src/operations/attempts/webhook-to-send.js';
import { countsAsHeldSql } from '../../src/operations/deliveries/counts-as-held.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeWebhook } from '../support/factories.js';

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
});
afterAll(() => stack[Symbol.asyncDispose]());

test('an emit hands the daemon a webhook as sending loads it', async () => {
  const { id } = await makeWebhook(stack.services, stack.tenantId);
  const [row] = await stack.rows<{ handed: Record<string, unknown>; loaded: Record<string, unknown> }>(`
    select hookwright.webhook_to_send(w) as handed,
           (select row_to_json(l) from (select ${selectToSend('w')}) l) as loaded
    from hookwright.webhooks w where w.id = ${id}`);
  const { handed, loaded } = row!;
  const sealedSecret = Buffer.from(String(loaded['sealedSecret']).slice('\\x'.length), 'hex').toString('base64');
  const inOneLine = { ...handed, sealedSecret: String(handed['sealedSecret']).replaceAll('\n', '') };
  expect(inOneLine).toEqual({ webhookId: id, ...loaded, sealedSecret });
  expect(Object.keys(handed).sort()).toEqual(['webhookId', ...sentNames].sort());
});

test('a turn wakes what does not count as held by the rule that sending and statements have', () => {
  const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
  expect(inOneLine(readFileSync('migrations/functions/turns.sql', 'utf8'))).toContain(
    inOneLine(countsAsHeldSql('d', 'w')),
  );
});

/** The text of each function, as it is printed. */
const texts = [
  ...functions().matchAll(/create or replace function hookwright\.(\w+)\([\s\S]*?(?:^(?:end )?\$\$;|^return [^;]*;)/gm),
].map(([text, name]) => ({ name, text, lines: text.split('\n').length }));

test('no function has more than 80 lines', () => {
  expect(texts.length).toBeGreaterThan(80);
  expect(texts.filter(({ lines }) => lines > 80)).toEqual([]);
});

test('plain and flow emits are one text, of which the plain one has nothing about orders and filters', () => {
  const textOf = (name: string) => texts.find((each) => each.name === name)!.text;
  expect(textOf('write_events_flow')).toMatch(/match_flow[\s\S]*key is null/);
  expect(textOf('write_events_plain')).not.toMatch(/match_flow|key is null|insert_deliveries|-- only/);
  expect(
    textOf('write_events_plain')
      .split('\n')
      .filter((line) => textOf('write_events_flow').includes(line)).length,
  ).toBeGreaterThan(35);
});
