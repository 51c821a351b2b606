import fc from 'fast-check';
import { SCOPES } from '../../src/domain/keys/scopes.js';

/** Texts that have broken something somewhere before, beside those that mean something here. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom(
    '',
    '*',
    '\u0000',
    '\ud800',
    '1',
    '-1',
    '0x1',
    '9223372036854775808',
    '9007199254740991',
    "'; drop table webhooks; --",
    '{1,2}',
    '__proto__',
    'constructor',
    'coupon.applied',
    'webhook.test',
    'https://a.example.com/\u0000',
    'https://a.example.com/',
    'https://user:pass@a.example.com/',
    Buffer.from('webhooks:1').toString('base64url'),
    Buffer.from('webhooks:9007199254740991').toString('base64url'),
    'x'.repeat(5000),
    ...SCOPES,
  ),
);
