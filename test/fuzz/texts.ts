import { SCOPES } from '../../src/domain/keys/scopes.js';
import { fc } from '../support/properties.js';
import { words } from '../support/refusals.js';

/** Texts that have broken something somewhere before, beside those that mean something here. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom(
    ...words(`* 1 -1 0x1 9223372036854775808 9007199254740991 {1,2} __proto__ constructor coupon.applied webhook.test
      https://a.example.com/ https://user:pass@a.example.com/`),
    ...['', '\u0000', '\ud800', "'; drop table webhooks; --", 'https://a.example.com/\u0000', 'x'.repeat(5000)],
    ...['webhooks:1', 'webhooks:9007199254740991'].map((cursor) => Buffer.from(cursor).toString('base64url')),
    ...SCOPES,
  ),
);
