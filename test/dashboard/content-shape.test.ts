import { describe, expect, test } from 'vitest';
import { completionsAt, typesIn } from '../../dashboard/screens/endpoints/content/shape-completion.js';
import { printShapeSchema } from '../../src/platform/shapes/read-shape.js';

const text = { type: 'string', description: 'A text with { braces: and a colon }.' };
const schema = printShapeSchema(
  ['booking.created', 'order.paid'],
  [
    {
      name: 'booking.created',
      description: 'A booking.',
      schema: JSON.stringify({
        type: 'object',
        properties: {
          booking_code: text,
          customer: { type: 'object', properties: { email: text, employer: text } },
          lines: { type: 'array', items: { type: 'object', properties: { sku: text } } },
        },
      }),
    },
    {
      name: 'order.paid',
      description: 'An order.',
      schema: JSON.stringify({ type: 'object', properties: { order_id: text } }),
    },
  ],
);
const types = typesIn(schema);
/** @param shape the caret stands at `|` */
const namesAt = (shape: string) => {
  const caret = shape.indexOf('|');
  return completionsAt(types, shape.replace('|', ''), caret).names;
};

describe('the names that fit into a shape', () => {
  test.each([
    ['subscription { | }', ['event']],
    ['subscription { event { ty| } }', ['type']],
    ['subscription { event { id ... on O| } }', ['... on OrderPaid']],
    ['subscription { event { ... on BookingCreated { customer { em| } } } }', ['email', 'employer']],
    ['subscription { event { ... on BookingCreated { lines { | } } } }', ['sku']],
    ['subscription { event { ... on BookingCreated { customer { email } bo| } } }', ['booking_code']],
    ['subscription { event { ... on OrderPaid { order_id| } } }', []],
    ['subscription { event { unknown { | } } }', []],
    ['|', []],
  ])('at the caret of %s', (shape, names) => {
    expect(namesAt(shape)).toEqual(names);
  });

  test('stand in place of the beginning that was typed', () => {
    const shape = 'subscription { event { ... on B';
    const { start, names } = completionsAt(types, shape, shape.length);
    expect(shape.slice(0, start) + names[0]).toBe('subscription { event { ... on BookingCreated');
  });
});
