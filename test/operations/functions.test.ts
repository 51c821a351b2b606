import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { jsonToSend } from '../../src/operations/attempts/webhook-to-send.js';
import { countsAsHeldSql } from '../../src/operations/deliveries/counts-as-held.js';

const inOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');
const textOf = (name: string) => inOneLine(readFileSync(`migrations/functions/${name}.sql`, 'utf8'));

test('what an emit hands to the daemon has the fields that sending loads', () => {
  expect(textOf('new-deliveries')).toContain(jsonToSend('w'));
  expect(textOf('new-deliveries')).toContain(jsonToSend('matched'));
});

test('a turn wakes what does not count as held by the rule that sending and statements have', () => {
  expect(textOf('turns')).toContain(inOneLine(countsAsHeldSql('d', 'w')));
});
