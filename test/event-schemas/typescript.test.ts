import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { samplePayload } from '../../src/domain/schema-rules/sample-payload.js';
import { type TypedEvent, typescriptOf } from '../../src/domain/schema-rules/typescript.js';
import { compileEventSchema } from '../../src/platform/payload-checks/payload-check.js';
import { schemaIssues } from '../../src/platform/payload-checks/schema-issues.js';
import { payloadSchema } from '../support/payload-schema.js';
import { fc } from '../support/properties.js';

const folder = mkdtempSync(join(tmpdir(), 'hookwright-types-'));
afterAll(() => rmSync(folder, { recursive: true }));

const event = (name: string, schema: object, more: Partial<TypedEvent> = {}): TypedEvent => ({
  ...{ name, description: 'Something happened.', schema: schema as TypedEvent['schema'], isDeprecated: false },
  ...more,
});

/** Compiles payloads against the types of their events. @returns the lines of the compiler */
async function compile(types: readonly TypedEvent[], payloads: readonly [name: string, payload: unknown][]) {
  writeFileSync(join(folder, 'hookwright-events.d.ts'), typescriptOf(types));
  const lines = payloads.map(
    ([name, payload], index) =>
      `export const payload${index}: HookwrightEvents[${JSON.stringify(name)}] = ${JSON.stringify(payload)};`,
  );
  const use = `import type { HookwrightEvents } from './hookwright-events.js';\n${lines.join('\n')}\n`;
  writeFileSync(join(folder, 'use.ts'), use);
  const config = {
    compilerOptions: { strict: true, module: 'nodenext', noEmit: true, types: [], lib: ['es2022'], skipLibCheck: true },
    files: ['use.ts'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = fileURLToPath(new URL('./bin/tsc', import.meta.resolve('typescript/package.json')));
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).catch((error) => error);
  return (stdout as string).split('\n').filter((line) => line !== '');
}

const text = { type: 'string' };
const address = {
  type: 'object',
  properties: { zip: text, city: text },
  required: ['zip'],
  additionalProperties: false,
};
const types = [
  event('order.flat', {
    type: 'object',
    properties: { code: text, note: { type: ['string', 'null'] } },
    required: ['code'],
    additionalProperties: false,
  }),
  event('order.open', { type: 'object', properties: { code: text }, required: ['code', 'other'] }),
  event('order.kinds', {
    type: 'object',
    properties: {
      state: { enum: ['new', 'paid', 3] },
      fixed: { const: true },
      pair: { type: 'array', prefixItems: [text, { type: 'integer' }], minItems: 1, items: false },
      lines: { type: 'array', items: { anyOf: [text, { type: 'number' }] } },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
      'odd name': { type: 'object', patternProperties: { '^x': text }, additionalProperties: false },
    },
    additionalProperties: false,
  }),
  event('order.parts', {
    type: 'object',
    $defs: { address, 'old.address': { $ref: '#/$defs/address' } },
    properties: { to: { $ref: '#/$defs/address' }, from: { $ref: '#/$defs/old.address' } },
    allOf: [{ required: ['to'] }],
  }),
  event('order.choice', {
    type: 'object',
    properties: { by: text, number: text, iban: text },
    required: ['by'],
    additionalProperties: false,
    oneOf: [
      { properties: { by: { const: 'card' } }, required: ['number'] },
      { properties: { by: { const: 'bank' } }, required: ['iban'] },
    ],
  }),
  event('order.joined', {
    type: 'object',
    allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
    $defs: {
      a: { type: 'object', properties: { a: text }, required: ['a'] },
      b: { type: 'object', properties: { b: { type: 'boolean' } }, required: ['b'] },
    },
  }),
];

describe('the types of payloads', () => {
  test('take what the schemas take, and refuse what they refuse', async () => {
    const cases: [name: string, isRight: boolean, payload: unknown][] = [
      ['order.flat', true, { code: 'A' }],
      ['order.flat', true, { code: 'A', note: null }],
      ['order.flat', false, {}],
      ['order.flat', false, { code: 1 }],
      ['order.flat', false, { code: 'A', more: 1 }],
      ['order.open', true, { code: 'A', other: 1, more: [] }],
      ['order.open', false, { code: 'A' }],
      ['order.open', false, { code: 1, other: 1 }],
      [
        'order.kinds',
        true,
        { state: 'paid', fixed: true, pair: ['a'], lines: ['a', 1], counts: { a: 1 }, 'odd name': { xa: 'a' } },
      ],
      ['order.kinds', true, { state: 3, pair: ['a', 1], counts: {}, lines: [] }],
      ['order.kinds', false, { state: 'old' }],
      ['order.kinds', false, { fixed: false }],
      ['order.kinds', false, { pair: [] }],
      ['order.kinds', false, { pair: ['a', 'b'] }],
      ['order.kinds', false, { pair: ['a', 1, 1] }],
      ['order.kinds', false, { lines: [true] }],
      ['order.kinds', false, { counts: { a: 'b' } }],
      ['order.kinds', false, { 'odd name': { xa: 1 } }],
      ['order.parts', true, { to: { zip: '1' }, from: { zip: '1', city: 'A' } }],
      ['order.parts', false, { from: { zip: '1' } }],
      ['order.parts', false, { to: {} }],
      ['order.parts', false, { to: { zip: '1', street: 'A' } }],
      ['order.choice', true, { by: 'card', number: '1' }],
      ['order.choice', true, { by: 'bank', iban: '1' }],
      ['order.choice', false, { by: 'card', iban: '1' }],
      ['order.choice', false, { by: 'cash', iban: '1' }],
      ['order.choice', false, { by: 'bank', iban: '1', more: 1 }],
      ['order.joined', true, { a: 'A', b: true, c: 1 }],
      ['order.joined', false, { a: 'A' }],
    ];
    for (const [name, isRight, payload] of cases) {
      const { schema } = types.find((type) => type.name === name)!;
      expect(compileEventSchema(JSON.stringify(schema))(payload), JSON.stringify(payload)).toBe(isRight);
    }
    const said = await compile(
      types,
      cases.map(([name, , payload]) => [name, payload]),
    );
    const refused = new Set(said.flatMap((line) => /^\S*use\.ts\((\d+),/.exec(line)?.[1] ?? []).map(Number));
    const wrong = cases.flatMap(([, isRight], index) => (isRight ? [] : [index + 2]));
    expect(
      [...refused].sort((a, b) => a - b),
      said.join('\n'),
    ).toEqual(wrong);
  });

  test('take the sample of any schema', { timeout: 60_000 }, async () => {
    const events = fc
      .sample(payloadSchema, 300)
      .filter((schema) => schemaIssues(schema).length === 0)
      .map((schema, index) => event(`any.n${index}`, schema));
    const payloads = events.map(({ name, schema }): [string, unknown] => [
      name,
      samplePayload(schema, compileEventSchema(JSON.stringify(schema))),
    ]);
    expect(payloads.length).toBeGreaterThan(200);
    expect(await compile(events, payloads)).toEqual([]);
  });

  test('have names of their own, comments that end where they should, and a warning of deprecated types', async () => {
    const payload = {
      type: 'object',
      $defs: { 'a-b': text, a_b: text },
      properties: {
        other: { ...text, description: 'ends */ here "' },
        x: { $ref: '#/$defs/a-b' },
        y: { $ref: '#/$defs/a_b' },
      },
    };
    const events = [
      event('order.paid_2', payload),
      event('order_paid.2', payload, { isDeprecated: true, description: 'Two\n\nlines */' }),
      event('hookwright.events', payload),
      event('2fa.enabled', payload),
    ];
    const written = typescriptOf(events);
    expect(written.match(/^export (type|interface) \w+/gm)).toHaveLength(1 + 4 * 3);
    expect(written).toContain(' * Two\n   *\n   * lines *\\/\n   * @deprecated Hookwright refuses');
    expect(
      await compile(
        events,
        events.map(({ name }) => [name, { x: 'a', y: 'b' }]),
      ),
    ).toEqual([]);
  });
});
