import { createHmac, createSecretKey } from 'node:crypto';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import { describe, expect, test } from 'vitest';
import { besideOwn, formHeaderProblem, replacedIn } from '../../src/domain/fields/form-headers.js';
import { FORM_PRESETS } from '../../src/domain/signing/form-presets.js';
import { secretKeys } from '../../src/domain/signing/secret.js';
import {
  digestOfForm,
  FORM_ALGORITHMS,
  FORM_ENCODINGS,
  FORM_KEYS,
  FORM_PLACEHOLDERS,
  headersOfForm,
  planForm,
  type SignatureForm,
  signAs,
  templateProblem,
} from '../../src/domain/signing/signature-form.js';
import { fc } from '../support/properties.js';

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8g';
const HEX = '4d1fbc0ab3f7d23e9a6c58e1047b9d2f4d1fbc0ab3f7d23e9a6c58e1047b9d2f';
const BODY = Buffer.from('{"booking_code":"A/1","brand":"é🎫"}');
const request = { id: '1769851800123', type: 'booking.created', timestampSeconds: 1769851800, body: BODY };

/** The keys of a secret that another system has made. */
const keysOf = (secret: string) => ({
  contract: createSecretKey(secret, 'utf8'),
  standard: createSecretKey(secret, 'utf8'),
});
const current = secretKeys(SECRET);
const previous = keysOf(HEX);
const signed = (form: SignatureForm, keys: Parameters<typeof signAs>[1] = { current, previous: null }) =>
  signAs(planForm(form), keys, request);
const own: SignatureForm = { ...FORM_PRESETS['convoy']!, header: 'x-acme-signature', also: {} };

describe('a built-in form', () => {
  test('signs one secret as openssl does', () => {
    expect(signed(FORM_PRESETS['svix']!)).toEqual({
      'svix-signature': 'v1,DFhpD1WC9zCJN4f/tv4//AL5v9HQ5Kv1IlXnqfhBnZY=',
      'svix-id': '1769851800123',
      'svix-timestamp': '1769851800',
    });
    expect(signed(FORM_PRESETS['convoy']!)).toEqual({
      'X-Convoy-Signature': 't=1769851800,v1=425fc5f940a2b4df62fbb99b8f7fe21623af0b458cdfa5bca9993e6b713705ef',
      'X-Convoy-Idempotency-Key': '1769851800123',
    });
    expect(signed(FORM_PRESETS['convoy-simple']!)).toEqual({
      'X-Convoy-Signature': '5ba2c94398eedbbaded3f6bac51bce3bd20c822182c5b691d62490f083f5f8d8',
      'X-Convoy-Idempotency-Key': '1769851800123',
    });
    expect(signed(FORM_PRESETS['outpost']!)).toEqual({
      'x-outpost-signature': 'v0=5ba2c94398eedbbaded3f6bac51bce3bd20c822182c5b691d62490f083f5f8d8',
      'x-outpost-event-id': '1769851800123',
      'x-outpost-topic': 'booking.created',
      'x-outpost-timestamp': '2026-01-31T09:30:00Z',
    });
  });

  test('has an entry for each secret during a rotation, the new one first; of one signature the old one is made', () => {
    const both = { current, previous };
    expect(signed(FORM_PRESETS['convoy']!, both)['X-Convoy-Signature']).toBe(
      't=1769851800,v1=425fc5f940a2b4df62fbb99b8f7fe21623af0b458cdfa5bca9993e6b713705ef,' +
        'v1=796f160c452dc43273af19a8a204b228244c8456e87e8b42ec2c897f787401ce',
    );
    expect(signed(FORM_PRESETS['outpost']!, both)['x-outpost-signature']).toBe(
      'v0=5ba2c94398eedbbaded3f6bac51bce3bd20c822182c5b691d62490f083f5f8d8,' +
        'd105bdab76abc2fe2e203badb920f2764e2900e7d908d9afdd79777db8ae56f4',
    );
    expect(signed(FORM_PRESETS['svix']!, both)['svix-signature']).toMatch(/^v1,\S{44} v1,\S{44}$/);
    expect(signed(FORM_PRESETS['convoy-simple']!, both)['X-Convoy-Signature']).toBe(
      'd105bdab76abc2fe2e203badb920f2764e2900e7d908d9afdd79777db8ae56f4',
    );
  });

  test('has texts and headers that a form of the file could have', () => {
    for (const form of Object.values(FORM_PRESETS)) {
      for (const kind of ['content', 'prefix', 'value'] as const) {
        expect(templateProblem(kind, form[kind])).toBeNull();
      }
      expect(Object.values(form.also).map((template) => templateProblem('also', template))).not.toContain(
        expect.any(String),
      );
      const names = headersOfForm(planForm(form));
      expect(names.map((name) => formHeaderProblem(name, 'X-Service'))).toEqual(names.map(() => null));
    }
  });
});

describe('the key', () => {
  const form: SignatureForm = { ...own, content: '{timestamp}.{body}.x', prefix: '', value: '{signature}', join: null };

  test('is the bytes behind whsec_ in hex or base64, or the text where it is not written so', () => {
    const sha512 = { ...form, algorithm: 'sha512', key: 'hex' } as const;
    const value =
      'a5cabe31ef4a1d75eb8339e4f6598a1f71b87febb4a67a9caf42219fc68bc1953e24d15f6ec2a28bd714c7bd959c07ba30100c63734231eeb63e536570c8a491';
    for (const secret of [HEX, `whsec_${HEX}`, HEX.toUpperCase()]) {
      expect(signed(sha512, { current: keysOf(secret), previous: null })['x-acme-signature']).toBe(value);
    }
    const bytes = Buffer.from([1, 2, 3, 250, 251]);
    const by = (secret: string, key: SignatureForm['key']) =>
      signed({ ...form, key }, { current: keysOf(secret), previous: null })['x-acme-signature'];
    const made = (key: string | Buffer) =>
      createHmac('sha256', key).update(`1769851800.${BODY.toString()}.x`).digest('hex');
    expect(by(`whsec_${bytes.toString('base64')}`, 'base64')).toBe(made(bytes));
    expect(by(bytes.toString('base64'), 'base64')).toBe(made(bytes));
    expect(by('a secret of words!', 'base64')).toBe(made('a secret of words!'));
    expect(by('a secret of words!', 'hex')).toBe(made('a secret of words!'));
    expect(by(`whsec_${HEX}`, 'text')).toBe(made(`whsec_${HEX}`));
  });
});

describe('a text of a form', () => {
  test.each([
    ['content', '{timestamp}.{body}', null],
    ['content', '{body}', null],
    ['content', '{id}', 'must have {body} once'],
    ['content', '{body}{body}', 'must have {body} once'],
    [
      'content',
      '{body}{signature}',
      'has "{signature}"; the placeholders here are {id}, {timestamp}, {body}, and no other braces are allowed',
    ],
    ['content', '{body}}', expect.stringContaining('no other braces')],
    ['content', '{{body}}', expect.stringContaining('no other braces')],
    ['content', '{ body}', expect.stringContaining('has "{ body}"')],
    ['value', 'v1={signature}', null],
    ['value', 'v1=', 'must have {signature} once'],
    ['value', '{signature}{body}', expect.stringContaining('has "{body}"')],
    ['prefix', 't={timestamp},', null],
    ['prefix', '{body}', expect.stringContaining('has "{body}"')],
    ['also', '{id}', null],
    ['also', '{type} {time}', null],
    ['also', '{signature}', expect.stringContaining('has "{signature}"')],
    ['also', '{__proto__}', expect.stringContaining('has "{__proto__}"')],
  ] as const)('as %s %j: %s', (kind, template, problem) => {
    expect(templateProblem(kind, template)).toEqual(problem);
  });
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('the text %s of a form is itself', (text) => {
  const form: SignatureForm = { ...own, prefix: text, content: `${text}{body}`, also: { 'x-acme': text } };
  const headers = signed({ ...form, value: '{signature}', join: null });
  const signature = createHmac('sha256', SECRET).update(text).update(BODY).digest('hex');
  expect(headers).toEqual({ 'x-acme-signature': `${text}${signature}`, 'x-acme': text });
});

describe('beside the headers that an owner has set', () => {
  const form = planForm(FORM_PRESETS['outpost']!);

  test("those of the owner are left out of the form, however they are spelled; a signature nobody reads isn't made", () => {
    const set = ['X_Outpost.Signature', 'X-Outpost-Topic', 'X-Other'];
    expect(replacedIn(form, set)).toEqual(['x-outpost-signature', 'x-outpost-topic']);
    const left = besideOwn(form, set);
    expect(headersOfForm(left)).toEqual(['x-outpost-event-id', 'x-outpost-timestamp']);
    expect(Object.keys(signAs(left, { current, previous: null }, request))).toEqual(headersOfForm(left));
    expect(besideOwn(form, ['X-Other'])).toBe(form);
  });
});

test('a header of the service, the connection or a proxy is no form’s; those of Svix are', () => {
  const names = ['content-type', 'Host', 'user_agent', 'Accept', 'webhook-signature', 'X-Service-Signature', 'ce-id'];
  for (const name of [...names, 'authorization', 'transfer-encoding', 'te', 'x_forwarded_for', 'date', 'traceparent']) {
    expect(formHeaderProblem(name, 'X-Service')).toBe('is a header that the service or the connection sets');
  }
  for (const name of ['', 'a b', 'a:b', 'a\r\nb', 'ä', '__proto__', 'x'.repeat(65)]) {
    expect(formHeaderProblem(name, 'X-Service')).toBe('is not the name of a header');
  }
  expect(formHeaderProblem('svix-signature', 'X-Service')).toBeNull();
  expect(formHeaderProblem('svix-signature', 'Svix')).not.toBeNull();
});

test('the digest of a form is the same however its headers are ordered, and another with any change', () => {
  const form = FORM_PRESETS['outpost']!;
  const { also } = form;
  const reordered = { ...form, also: Object.fromEntries(Object.entries(also).toReversed()) };
  expect(digestOfForm(reordered)).toBe(digestOfForm(form));
  const others: Partial<SignatureForm>[] = [
    ...[{ header: 'x' }, { content: '{id}{body}' }, { prefix: '' }, { value: 'a{signature}' }, { join: null }],
    ...[{ algorithm: 'sha1' }, { encoding: 'base64' }, { key: 'hex' }, { also: { ...also, a: 'b' } }],
  ] as const;
  const digests = [form, ...others.map((other) => ({ ...form, ...other }))].map(digestOfForm);
  expect(new Set(digests).size).toBe(others.length + 1);
});

test('no event and no body gives a request another header line, whatever the form', () => {
  const visible = fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)) });
  const templateOf = (kind: keyof typeof FORM_PLACEHOLDERS) =>
    fc
      .array(fc.oneof(visible, fc.constantFrom(...FORM_PLACEHOLDERS[kind].map((name) => `{${name}}`))), {
        maxLength: 6,
      })
      .map((parts) => parts.join(''))
      .filter((template) => templateProblem(kind, template) === null);
  const form: fc.Arbitrary<SignatureForm> = fc.record({
    header: fc.constant('x-acme-signature'),
    content: templateOf('content'),
    prefix: templateOf('prefix'),
    value: templateOf('value'),
    join: fc.option(visible),
    algorithm: fc.constantFrom(...FORM_ALGORITHMS),
    encoding: fc.constantFrom(...FORM_ENCODINGS),
    key: fc.constantFrom(...FORM_KEYS),
    also: fc.dictionary(fc.stringMatching(/^x-[a-z]{1,8}$/), templateOf('also'), { maxKeys: 3 }),
  });
  const name = fc.stringMatching(/^[a-z0-9_]{1,10}(\.[a-z0-9_]{1,10}){1,2}$/);
  fc.assert(
    fc.property(
      form,
      name,
      fc.nat(),
      fc.uint8Array({ maxLength: 100 }),
      fc.boolean(),
      (drawn, type, id, body, rotates) => {
        const headers = signAs(
          planForm(drawn),
          { current, previous: rotates ? previous : null },
          { id: String(id), type, timestampSeconds: id, body: Buffer.from(body) },
        );
        expect(Object.keys(headers)).toEqual(['x-acme-signature', ...Object.keys(drawn.also)]);
        for (const [header, value] of Object.entries(headers)) {
          validateHeaderName(header);
          validateHeaderValue(header, value);
          expect(value).toMatch(/^[\x20-\x7e]*$/);
        }
      },
    ),
  );
});
