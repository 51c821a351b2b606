import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { formsOf } from '../../src/api/rest/field-forms.js';
import type { Fields } from '../../src/domain/fields/field.js';
import { changedValues, newValues } from '../../src/operations/fields/rules.js';

const note = { kind: 'text', charsMax: 10, description: 'A note.', input: 'At most 10 characters.' } as const;
const fields = {
  title: { ...note, rest: 'The title.' },
  remark: { ...note, optional: true, rest: 'A remark.' },
  hidden: { ...note, optional: true, lines: true },
} as const satisfies Fields;

const known = { target: { allowHttp: false, allowedRanges: [], loopbackHttp: false }, eventTypes: [] };
const issuesOf = (schema: z.ZodType, value: unknown) =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);

describe('a new object', () => {
  const schema = newValues(fields, known);

  test('may leave out optional fields, or have them as null or empty: then they are null', () => {
    for (const left of [{}, { remark: null }, { remark: '' }, { remark: ' ' }]) {
      expect(schema.parse({ title: ' a ', ...left })).toEqual({ title: 'a', remark: null, hidden: null });
    }
  });

  test('needs all others, which are not empty', () => {
    expect(issuesOf(schema, {})).toHaveLength(1);
    expect(issuesOf(schema, { title: '' })).toEqual(['title must not be empty']);
    expect(issuesOf(schema, { title: 'a', remark: 'x'.repeat(11) })).toEqual([
      'remark must have at most 10 characters',
    ]);
  });

  test('has several lines in such a field alone', () => {
    expect(issuesOf(schema, { title: 'a', remark: 'a\nb' })).toHaveLength(1);
    expect(schema.parse({ title: 'a', hidden: 'a\nb' })).toMatchObject({ hidden: 'a\nb' });
    expect(issuesOf(schema, { title: 'a', hidden: 'a\ud800' })).toHaveLength(1);
    expect(issuesOf(schema, { title: 'a', hidden: 'a\u0001' })).toHaveLength(1);
  });
});

describe('a change', () => {
  const schema = changedValues(fields, known);

  test('has the fields that were given, and no others', () => {
    expect(schema.parse({})).toEqual({});
    expect(schema.parse({ remark: 'b', hidden: undefined, other: 1 })).toEqual({ remark: 'b' });
  });

  test('clears an optional field by null or an empty text; null is no change of another field', () => {
    expect(schema.parse({ title: null, remark: null, hidden: '' })).toEqual({ remark: null, hidden: null });
  });
});

describe('REST', () => {
  const [requested, answered] = formsOf(fields);

  test('shows the fields that say so', () => {
    expect(Object.keys(answered)).toEqual(['title', 'remark']);
  });

  test('takes requests that leave out an optional field; answers always have it', () => {
    expect(z.object(requested).safeParse({ title: 'a' }).success).toBe(true);
    expect(z.object(requested).safeParse({ title: 'a', remark: null }).success).toBe(true);
    expect(z.object(requested).safeParse({}).success).toBe(false);
    expect(z.toJSONSchema(z.object(answered))).toMatchObject({ required: ['title', 'remark'] });
  });
});
