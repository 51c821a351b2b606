import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { formsOf, inGraphqlTerms, optionFormsOf, restPlace } from '../../src/api/rest/field-forms.js';
import type { Fields } from '../../src/domain/fields/field.js';
import { valueInForce } from '../../src/domain/fields/field-table.js';
import { changedValues, newValues } from '../../src/operations/fields/rules.js';

const note = { kind: 'text', charsMax: 10, description: 'A note.', input: 'At most 10 characters.' } as const;
const fields = {
  title: { ...note, rest: 'The title.' },
  remark: { ...note, optional: true, rest: 'A remark.' },
  hidden: { ...note, optional: true, lines: true },
} as const satisfies Fields;

const known = {
  target: { allowHttp: false, allowedRanges: [], loopbackHttp: false },
  eventTypes: { all: [], shown: [] },
  schemas: [],
  headerPrefix: 'X-Service',
  names: { signatureForms: ['svix'], releases: ['2026-11'] },
  maxima: { attemptTimeoutMsMax: 30_000, endpointConcurrencyMax: 64 },
  retentionDays: 30,
  now: () => new Date(),
};
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

  test('clears an optional field by null or an empty text; null is not a change of another field', () => {
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

describe('a group', () => {
  const contact = {
    kind: 'group',
    type: 'Contact',
    option: 'ContactField',
    scope: 'webhooks:options',
    optionsRow: true,
    description: 'Whom to ask.',
    input: 'Whom to ask.',
    rest: 'Whom to ask.',
    fields: {
      sender: { ...note, rest: 'The sender.', inherited: 'mailFrom' },
      remark: { ...note, rest: 'A remark.', optional: true },
      apiToken: { ...note, rest: 'A token.', optional: true, secret: true },
    },
  } as const;
  const all = { title: note, contact } as const satisfies Fields;
  const change = changedValues(all, known);

  test('is changed in part: what is left out stays', () => {
    expect(change.parse({ contact: { remark: 'b' } })).toEqual({ remark: 'b' });
    expect(change.parse({ contact: { remark: null, sender: 'a' } })).toEqual({ remark: null, sender: 'a' });
    expect(change.parse({ contact: null })).toEqual({});
    const empty = { sender: null, remark: null, apiToken: null };
    expect(newValues(all, known).parse({ title: 'a' })).toEqual({ title: 'a', ...empty });
    expect(newValues(all, known).parse({ title: 'a', contact: { sender: 'b' } })).toMatchObject({ sender: 'b' });
    expect(issuesOf(change, { contact: { remark: 'x'.repeat(11) } })[0]).toMatch(/^contact\.remark must have at most/);
  });

  test('goes back to an inherited value by reset, not by null', () => {
    expect(change.parse({ contact: { reset: ['SENDER', 'API_TOKEN'] } })).toEqual({ sender: null, apiToken: null });
    expect(issuesOf(change, { contact: { sender: null } })[0]).toContain('reset');
    expect(issuesOf(change, { contact: { sender: 'a', reset: ['SENDER'] } })).toHaveLength(1);
  });

  test('shows the value in force, the fields that it sets itself, and of a secret that there is one', () => {
    const shown = (...rows: (object | null)[]) => valueInForce('contact', contact, rows, { mailFrom: 'ops' });
    expect(shown(null)).toEqual({ sender: 'ops', remark: null, apiTokenSet: false, own: [] });
    const tenant = { sender: 'team', remark: 'not inherited' };
    expect(shown(null, tenant)).toEqual({ sender: 'team', remark: null, apiTokenSet: false, own: [] });
    const own = { sender: 'me', remark: null, apiToken: Buffer.from('sealed') };
    const set = { sender: 'me', remark: null, apiTokenSet: true, own: ['SENDER', 'API_TOKEN'] };
    expect(shown(own, tenant)).toEqual(set);
  });

  test('is an object of the options in REST, where null resets, and secrets are only written', () => {
    const [requested, answered] = optionFormsOf(all).map((shape) =>
      JSON.parse(JSON.stringify(z.toJSONSchema(z.object(shape)))),
    );
    const members = (schema: { properties: object }) => Object.keys(schema.properties);
    expect(JSON.stringify(requested)).toContain('"api_token"');
    expect(members(answered.properties.contact)).toEqual(['sender', 'remark', 'api_token_set', 'own']);
    const patch = { contact: { sender: null, api_token: 'x' } };
    expect(inGraphqlTerms(all, patch)).toEqual({ contact: { apiToken: 'x', reset: ['SENDER'] } });
    expect(inGraphqlTerms(all, { contact: null })).toEqual({
      contact: { remark: null, apiToken: null, reset: ['SENDER'] },
    });
    expect(restPlace(['contact', 'apiToken', 0], {}, all)).toEqual(['contact', 'api_token', 0]);
  });
});
