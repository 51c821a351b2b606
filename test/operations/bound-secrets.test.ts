import { describe, expect, test } from 'vitest';
import type { Field, Fields } from '../../src/domain/fields/field.js';
import { flat } from '../../src/domain/fields/field-table.js';
import { secretFields } from '../../src/domain/fields/secrets.js';
import { webhookFields } from '../../src/domain/fields/webhook-fields.js';
import { ApiError } from '../../src/errors.js';
import { requireBoundSecrets } from '../../src/operations/webhooks/bound-secrets.js';

/** Secrets stay with the origin that they were set for, whichever field has them. */

const BEFORE = 'https://example.com/hooks';
const AFTER = 'https://thief.example.com/x';
const sealed = Buffer.from('sealed').toString('base64');

/** What a row has of a field that holds a secret, and the change that sets it again; null: it holds none. */
function secretIn({ kind, secret }: Field): { stored: unknown; setNow: unknown } | null {
  const header = { sealed, length: 6 };
  switch (kind) {
    case 'headers':
      return { stored: { 'X-Key': header, 'X-Env': { value: 'a' } }, setNow: { set: { 'X-Key': header }, remove: [] } };
    case 'auth':
      return { stored: { kind: 'BEARER', sealed }, setNow: { kind: 'BEARER', sealed } };
    case 'tls':
      return { stored: { ca: null, client: { sealed } }, setNow: { ca: null, client: { sealed } } };
    default:
      return secret ? { stored: Buffer.from('sealed'), setNow: Buffer.from('sealed') } : null;
  }
}

/** The fields of webhooks, and two that are declared as CONTRIBUTING.md says: outside of groups, and in one. */
const declared = {
  ...webhookFields,
  pagerToken: {
    kind: 'text',
    charsMax: 100,
    description: 'A token.',
    input: 'A token.',
    optionsRow: true,
    optional: true,
    secret: true,
  },
  delivery: {
    ...webhookFields.delivery,
    fields: {
      ...webhookFields.delivery.fields,
      apiToken: {
        kind: 'text',
        charsMax: 100,
        description: 'A token.',
        input: 'A token.',
        optional: true,
        secret: true,
      },
    },
  },
} as const satisfies Fields;
const all = flat(declared).flatMap(([name, field]) => {
  const held = secretIn(field);
  return held === null ? [] : [{ name, ...held }];
});

const move = (options: object, change: object, url = AFTER, before = BEFORE) =>
  requireBoundSecrets({ url, options } as never, { url: before }, { url, ...change } as never, secretFields(declared));

test('the fields that hold secrets are these', () => {
  expect(all.map(({ name }) => name)).toEqual(['headers', 'auth', 'tls', 'apiToken', 'pagerToken']);
});

test.each(all)(
  'a secret in $name does not move to another origin, unless it is set again',
  ({ name, stored, setNow }) => {
    expect(() => move({ [name]: stored }, {})).toThrow(
      /secrets for https:\/\/example\.com: (X-Key|auth|tls|apiToken|pagerToken)\./,
    );
    expect(() => move({ [name]: stored, note: 1 }, { note: 1 })).toThrow('Set them again');
    expect(() => move({ [name]: stored }, { [name]: setNow })).not.toThrow();
    expect(() => move({ [name]: null }, { [name]: null })).not.toThrow();
    expect(() => move({ [name]: stored }, {}, 'https://example.com/other')).not.toThrow();
  },
);

test.each(all)('a secret in $name is not sent over http', ({ name, stored }) => {
  const plain = 'http://example.com/hooks';
  expect(() => move({ [name]: stored }, { [name]: stored }, plain, plain)).toThrow(ApiError);
  const onLoopback = () => move({ [name]: stored }, { [name]: stored }, 'http://127.0.0.1/', 'http://127.0.0.1/');
  if (name === 'tls') {
    expect(onLoopback).toThrow('needs https:// while the webhook has `delivery.tls`'); // http has no certificates
  } else {
    expect(onLoopback).not.toThrow();
  }
});

describe('a client secret', () => {
  const [tokens, thief] = ['https://id.example.com/token', 'https://thief.example.com/token'];
  const client = (tokenUrl: string, more = {}) => ({ kind: 'OAUTH2', tokenUrl, clientId: 'hooks', ...more });
  const moved = (tokenUrl: string, url: string, change: object) => () =>
    requireBoundSecrets(
      { url, options: { auth: client(tokenUrl, { sealed }) } } as never,
      { url: BEFORE, auth: client(tokens, { sealed }) },
      change as never,
    );

  test('goes to no other token server, nor to that of the webhook, unless it is set again', () => {
    const kept = { auth: client(thief, { kept: true }) };
    expect(moved(thief, BEFORE, kept)).toThrow('secrets for https://example.com, https://id.example.com: auth');
    expect(moved(BEFORE, BEFORE, kept)).toThrow(ApiError);
    expect(moved(BEFORE, tokens, kept)).toThrow(ApiError);
    expect(moved('https://id.example.com/other', BEFORE, kept)).not.toThrow();
    expect(moved(thief, BEFORE, { auth: client(thief, { sealed }) })).not.toThrow();
  });

  test('does not move with the webhook', () => {
    expect(moved(tokens, AFTER, { url: AFTER })).toThrow(ApiError);
    expect(moved(tokens, tokens, { url: tokens })).toThrow(ApiError);
  });

  test('is not sent over http', () => {
    expect(moved('http://id.example.com/', BEFORE, { auth: client('http://id.example.com/', { sealed }) })).toThrow(
      ApiError,
    );
  });
});

test('headers and values that are not secret move', () => {
  expect(() => move({ headers: { 'X-Env': { value: 'a' } }, timeoutMs: 5 }, {})).not.toThrow();
});
