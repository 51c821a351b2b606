import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Change, changesBetween, shownChanges } from '../../src/domain/content/changes.js';
import { parseExact } from '../../src/domain/content/exact-json.js';
import { connectTestDatabase } from '../support/database.js';
import { hostileNames, hostileObject } from '../support/hostile-json.js';
import { draws, drawsTimeoutMs, fc } from '../support/properties.js';

let client: pg.Client;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ client, close } = await connectTestDatabase());
});
afterAll(() => close?.());

type Pair = [before: string, after: string];
const inOrder = (changes: readonly Change[]) =>
  changes.map(({ change, path, field }) => `${path} ${change} ${field}`).sort();

/** The changes by SQL; null: jsonb cannot have one of the two. */
async function bySql(pairs: readonly Pair[]): Promise<(string[] | null)[]> {
  const { rows } = await client.query<{ changes: Change[] | null }>(
    `select case when before is not null and after is not null then coalesce(
              (select json_agg(c) from hookwright.changes(before, after) c), '[]') end as changes
     from (select ord, hookwright.readable_body(before, 0) as before, hookwright.readable_body(after, 0) as after
           from unnest($1::text[], $2::text[]) with ordinality as pair(before, after, ord)) pair order by ord`,
    [pairs.map(([before]) => before), pairs.map(([, after]) => after)],
  );
  return rows.map(({ changes }) => changes && inOrder(changes));
}
const byUs = ([before, after]: Pair) => inOrder(changesBetween(parseExact(before), parseExact(after)));

/** A state, and another one or the same with another value somewhere. */
const pair: fc.Arbitrary<Pair> = fc.oneof(
  fc.tuple(hostileObject, hostileObject),
  fc
    .tuple(hostileObject, fc.constantFrom(...hostileNames), hostileObject)
    .map(
      ([one, name, value]): Pair => [
        one,
        `${one.slice(0, -1)}${one === '{}' ? '' : ', '}${JSON.stringify(name)}: ${value}}`,
      ],
    ),
  fc
    .tuple(
      hostileObject,
      fc.constantFrom(['1', '1.0'], ['"a"', '"b"'], ['[]', '{}'], ['null', 'false'], ['[1,', '[2, 1,']),
    )
    .map(([one, [from, to]]): Pair => [one, one.replaceAll(from!, to!)])
    .filter(([, other]) => isJson(other)),
);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test(
  'SQL and TypeScript find the same changes, between whatever two objects',
  async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(pair, { minLength: 100, maxLength: 100 }), async (pairs) => {
        const found = await bySql(pairs);
        for (const [index, changes] of found.entries()) {
          if (changes !== null) {
            expect(byUs(pairs[index]!), pairs[index]!.join(' to ')).toEqual(changes);
            compared += Number(changes.length > 0);
          }
        }
      }),
      draws(2), // `npm run fuzz`: 100,000 pairs
    );
    expect(compared).toBeGreaterThan(1_000);
  },
  drawsTimeoutMs(60_000),
);

const long = 'n'.repeat(600);
test.each<[...Pair, string[]]>([
  ['{"a":1}', '{"a":1.0,"b":{}}', ['b added']],
  ['{"a":{"b":1}}', '{"a":[1]}', ['a updated', 'a.b removed', 'a[0] added']],
  ['{"a":{}}', '{"a":{"x":[]}}', ['a.x added']],
  ['{"a":[1,2,3]}', '{"a":[1,3]}', ['a[1] updated', 'a[2] removed']],
  ['{"a":12345678901234567890.10}', '{"a":12345678901234567890.1000000001}', ['a updated']],
  ['{"a.b":1,"a":{"b":2}}', '{"a.b":2,"a":{"b":2}}', ['"a.b" updated']],
  [`{"${long}":{"${long}":{"x":1}}}`, `{"${long}":{"${long}":{"x":2}}}`, [`${long}.${long} updated`]],
  [`{"${long}":{"${long}":{"x":1}}}`, `{"${long}":{"${long}":{"x":1.0}}}`, []],
])('%.40s to %.40s', async (before, after, expected) => {
  const [changes] = await bySql([[before, after]]);
  expect(byUs([before, after])).toEqual(changes);
  expect(changes!.map((one) => one.slice(0, one.lastIndexOf(' ')))).toEqual(expected);
});

test('people see the first thousand paths, in their order', () => {
  const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`n${index}`, index]));
  const { added, removed, truncated } = shownChanges(changesBetween({ a: 1 }, many));
  expect({ added: added.length, removed, truncated }).toEqual({ added: 999, removed: ['a'], truncated: true });
  const few = shownChanges(changesBetween({ a: 1, '\u{1f600}': 1, '\uffff': 1 }, {}));
  expect(few).toEqual({ added: [], updated: [], removed: ['"\uffff"', '"\u{1f600}"', 'a'], truncated: false });
});
