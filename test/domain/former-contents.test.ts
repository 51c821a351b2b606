import { describe, expect, test } from 'vitest';
import { type Content, contentOf } from '../../src/domain/content/content.js';
import { domainKinds } from '../../src/domain/fields/kinds.js';
import { readShape } from '../../src/platform/shapes/read-shape.js';

const rules = { cloudEventsSource: '/events', publicUrl: undefined, payloadBytesMax: 262_144 };
const plain: Content = { shape: null, format: 'JSON', text: null, template: null, release: null };
const event = {
  id: 4_096,
  tenantId: 1,
  type: 'order.updated',
  body: '{"status":"paid","total":10.50,"note":"é %"}',
};
const previous = '{"status":"open","total":10.5,"old":{"x":[1]}}';
const sent = (content: Partial<Content>, former: string | null = previous) =>
  contentOf({ ...event, previous: former }, { ...plain, ...content }, rules)!;

const types = [
  {
    name: 'order.updated',
    description: 'An order.',
    schema: JSON.stringify({
      type: 'object',
      properties: { status: { type: 'string' }, previous: { type: 'string' }, changes: { type: 'string' } },
    }),
  },
];
const shapeOf = (text: string) => {
  const read = readShape(text, types);
  expect(read).toHaveProperty('plan');
  return JSON.parse(JSON.stringify((read as { plan: never }).plan)) as Content['shape'];
};

describe('the former state', () => {
  test('is in no content that does not ask for it', () => {
    const shape = shapeOf('subscription { event { id payload ... on OrderUpdated { status } } }');
    const contents: Partial<Content>[] = [
      { format: 'JSON' },
      { format: 'TEMPLATE', template: { all: '{{@payload}}' } },
      { format: 'SLACK' },
      { shape },
    ];
    for (const content of contents) {
      expect(sent(content)).toEqual(sent(content, null));
    }
  });

  test('fills templates, whole and in part, with its exact numbers', () => {
    const template = {
      changed: '{{@changed}}',
      text: 'From {{@previous.status}} to {{status}}: {{@changed}}',
      total: '{{@previous.total}}',
      list: '{{@previous.old.x}}',
      all: '{{@previous}}',
    };
    expect(JSON.parse(sent({ format: 'TEMPLATE', template }).body)).toEqual({
      changed: ['note', 'old.x[0]', 'status'],
      text: 'From open to paid: note, old.x[0], status',
      total: 10.5,
      list: [1],
      all: JSON.parse(previous),
    });
    expect(JSON.parse(sent({ format: 'TEMPLATE', template }, null).body)).toEqual({
      changed: null,
      text: 'From  to paid: ',
      total: null,
      list: null,
      all: null,
    });
  });

  test('is in a shape as changes, and as fields of the same type', () => {
    const shape = shapeOf(`subscription { event { changes { added removed truncated }
      ... on OrderUpdated { previous { status } payload_previous payload_changes changes { updated } } } }`);
    expect(JSON.parse(sent({ shape }).body)).toEqual({
      changes: { added: ['note'], removed: ['old.x[0]'], truncated: false, updated: ['status'] },
      previous: { status: 'open' },
      payload_previous: null,
      payload_changes: null,
    });
    expect(JSON.parse(sent({ shape }, null).body)).toMatchObject({ changes: null, previous: null });
  });

  test('gives CloudEvents the paths that have changed, and nothing of itself', () => {
    expect(sent({ format: 'CLOUDEVENTS_BINARY' }).headers['ce-changed']).toBe('note,old.x[0],status');
    expect(JSON.parse(sent({ format: 'CLOUDEVENTS_STRUCTURED' }).body)).toMatchObject({
      changed: 'note,old.x[0],status',
    });
    expect(sent({ format: 'CLOUDEVENTS_BINARY' }, null).headers).not.toHaveProperty('ce-changed');
    const odd = sent({ format: 'CLOUDEVENTS_BINARY' }, '{"é \\"%":1}').headers['ce-changed'];
    expect(odd).toContain('%22%C3%A9%20\\%22%25%22,');
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`name-${index}`, 1])));
    expect(sent({ format: 'CLOUDEVENTS_BINARY' }, many).headers['ce-changed']).toMatch(/^.{900,1002},\*$/);
  });

  test('is asked for where daemons of a version before could not make it', () => {
    const skillOf = (kind: 'template' | 'shape' | 'message', written: unknown) =>
      domainKinds[kind].skill(written as never)?.name ?? null;
    expect(skillOf('template', { a: ['{{@previous.status}}'] })).toBe('changes');
    expect(skillOf('template', { a: ['{{previous.status}}'] })).toBeNull();
    expect(skillOf('message', 'Now {{@changed}}')).toBe('changes');
    expect(skillOf('shape', { plan: shapeOf('subscription { event { changes { added } } }') })).toBe('changes');
    expect(skillOf('shape', { plan: shapeOf('subscription { event { id } }') })).toBeNull();
  });
});

test('a content that does not ask for the former state may take as many steps with it as without', () => {
  const lines = { type: 'array', items: { type: 'object', properties: { a: {}, b: {}, c: {} } } };
  const type = { ...types[0]!, schema: JSON.stringify({ type: 'object', properties: { lines } }) };
  const of = (fields: string) => {
    const read = readShape(`subscription { event { ${fields} ... on OrderUpdated { lines { a b c } } } }`, [type]);
    return (read as { plan: Content['shape'] }).plan;
  };
  const body = JSON.stringify({ lines: Array.from({ length: 10_000 }, () => ({})) });
  const former = JSON.stringify({ note: 'x'.repeat(100_000) });
  const made = (previousBody: string | null, shape: Content['shape']) =>
    contentOf({ ...event, body, previous: previousBody }, { ...plain, shape }, { ...rules, payloadBytesMax: 1e6 });
  expect(made(null, of('id'))).toBeNull();
  expect(made(former, of('id'))).toBeNull();
  expect(made(former, of('changes { truncated }'))).not.toBeNull();
});
