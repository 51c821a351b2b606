import 'reflect-metadata';
import { globSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { buildSchema, findBreakingChanges, type GraphQLSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { type PublicSurface, publicSurface } from './support/public-surface.js';

const fixtures = globSync('test/fixtures/*.surface.json.gz').sort((one, other) =>
  one.localeCompare(other, 'en', { numeric: true }),
);
const kept = fixtures.map((file): PublicSurface & { of: string } => ({
  of: file.replace(/^.*fixtures\/|\.surface.*$/g, ''),
  ...JSON.parse(gunzipSync(readFileSync(file)).toString()),
}));
const now = publicSurface();
const schemas = kept.map(({ graphql }) => buildSchema(graphql));

/** @param coordinate as in `Webhook.url`, `Mutation.emitEvent(input:)` or `EndpointState.OK` */
function isDeprecated(schema: GraphQLSchema, coordinate: string): boolean {
  const [type = '', member = '', argument] = coordinate.split(/[.(:]/);
  // biome-ignore lint/suspicious/noExplicitAny: each kind of type has another way to its members
  const of = schema.getType(type) as any;
  const found = of?.getFields?.()[member] ?? of?.getValue?.(member);
  const last = argument ? found?.args.find(({ name }: { name: string }) => name === argument) : found;
  return typeof last?.deprecationReason === 'string';
}

/** Changes between two schemas that break a client, but for what was deprecated in the last two versions. */
function breaks(before: string, after: string, lastTwo: readonly GraphQLSchema[]): string[] {
  return findBreakingChanges(buildSchema(before), buildSchema(after))
    .filter(({ type, description }) => {
      const [coordinate = ''] = /\b\w+\.\w+(\(\w+:\))?/.exec(description) ?? [];
      const [, value, ofEnum] = /^(\w+) was removed from enum type (\w+)/.exec(description) ?? [];
      const removed = value === undefined ? coordinate : `${ofEnum}.${value}`;
      const isRemoval = /REMOVED/.test(type) && lastTwo.length === 2;
      return !(isRemoval && lastTwo.every((schema) => isDeprecated(schema, removed)));
    })
    .map(({ description }) => description);
}

const missing = (before: readonly string[], after: readonly string[]) => before.filter((each) => !after.includes(each));

describe.each(kept)('what is public in $of', (before) => {
  test('is in schema.graphql, unless it was deprecated in two minor versions', () => {
    expect(breaks(before.graphql, now.graphql, schemas.slice(-2))).toEqual([]);
  });

  test('is in REST: its paths, what they answer and what they take', () => {
    const always = (line: string) => line.replace('? ', ' ');
    expect(missing(before.answers, now.answers).filter((line) => !now.answers.includes(always(line)))).toEqual([]);
    const unmarked = (lines: string[]) => lines.map((line) => line.replace(' (required)', ''));
    expect(missing(unmarked(before.inputs), unmarked(now.inputs))).toEqual([]);
    // A new object may demand fields of its own.
    const isInNewObject = (line: string) => {
      const [, parent = ''] = /^(.*: body\..*)\.[^.]*$/.exec(line) ?? [];
      return parent !== '' && !before.inputs.some((old) => old.startsWith(`${parent} `));
    };
    const isOfOldPath = (line: string) => before.answers.includes(line.split(':')[0]!);
    const demands = missing(
      now.inputs.filter((line) => line.includes('(required)')),
      before.inputs,
    );
    expect(demands.filter((line) => isOfOldPath(line) && !isInNewObject(line))).toEqual([]);
  });

  test('are settings with their defaults, metrics, exit codes and codes of errors', () => {
    expect(now.settings).toMatchObject(before.settings);
    expect(missing(before.metrics, now.metrics)).toEqual([]);
    expect(missing(before.exitCodes, now.exitCodes)).toEqual([]);
    expect(missing(before.errorCodes, now.errorCodes)).toEqual([]);
  });
});

describe('a field', () => {
  const schema = (fields: string, values = 'ON OFF') => `type Query { ${fields} } enum Mode { ${values} }`;
  const old = buildSchema(schema('a: Int b: Mode @deprecated', 'ON OFF @deprecated'));

  test('may go after two minor versions in which it is deprecated, and not before', () => {
    const [before, after] = [schema('a: Int b: Mode'), schema('a: Int', 'ON')];
    const removed = ['OFF was removed from enum type Mode.', 'Query.b was removed.'];
    expect(breaks(before, after, [old, old]).sort()).toEqual([]);
    expect(breaks(before, after, [buildSchema(before), old]).sort()).toEqual(removed);
    expect(breaks(before, after, [old]).sort()).toEqual(removed);
  });

  test('keeps its type, deprecated or not', () => {
    expect(breaks(schema('b: Mode'), schema('b: Int'), [old, old])).toHaveLength(1);
  });
});
