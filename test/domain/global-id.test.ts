import { describe, expect, test } from 'vitest';
import {
  aNounOf,
  attemptKey,
  globalId,
  idPrefixes,
  type NodeType,
  type NumberedType,
  parseAttemptKey,
  parseGlobalId,
  readId,
  withGlobalIds,
} from '../../src/domain/ids/global-id.js';
import { fc } from '../support/properties.js';
import { words } from '../support/refusals.js';

const number = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const attempt = fc
  .tuple(number, fc.integer({ min: 1, max: 2 ** 31 - 1 }))
  .map(([deliveryId, index]) => attemptKey(deliveryId, index));
const eventType = fc.stringMatching(/^[a-z0-9_]{1,20}(\.[a-z0-9_]{1,20}){1,4}$/);

const keyOf = (type: NodeType): fc.Arbitrary<string> =>
  type === 'EventType' ? eventType : type === 'Attempt' ? attempt : number.map(String);
const named = fc
  .constantFrom(...idPrefixes.map(({ type }) => type))
  .chain((type) => keyOf(type).map((key) => ({ type, key })));
const numbered = fc.constantFrom(
  ...idPrefixes
    .map(({ type }) => type)
    .filter((type): type is NumberedType => type !== 'Attempt' && type !== 'EventType'),
);

describe('a global id', () => {
  test('has the prefix of its type, which clients have stored: none may change', () => {
    expect(idPrefixes.map(({ type, prefix }) => `${type} ${prefix}`).join(', ')).toBe(
      'ApiKey key, Attempt at, AuditEntry au, BulkOperation op, Delivery dl, Event ev, EventType et, NoticeRecipient nr, ' +
        'PortalSession ps, Release rl, ScheduledEvent se, Tenant tn, Webhook wh',
    );
    expect(globalId('Webhook', 12)).toBe('wh_12');
    expect(globalId('EventType', 'booking.created')).toBe('et_booking.created');
    expect(globalId('Attempt', attemptKey(140123456789012, 3))).toBe('at_140123456789012_3');
  });

  test('is of one type and one key, whatever these are', () => {
    fc.assert(
      fc.property(named, ({ type, key }) => {
        expect(parseGlobalId(globalId(type, key))).toEqual({ type, key });
      }),
    );
  });

  test('is never that of two objects', () => {
    fc.assert(
      fc.property(named, named, (one, other) => {
        const isSame = one.type === other.type && one.key === other.key;
        expect(globalId(one.type, one.key) === globalId(other.type, other.key)).toBe(isSame);
      }),
    );
  });

  test('has no other form: what is read is written again letter by letter', () => {
    const text = fc.oneof(
      fc.string(),
      fc.tuple(fc.constantFrom('wh', 'at', 'et', 'key', 'WH', ''), fc.string()).map((parts) => parts.join('_')),
    );
    fc.assert(
      fc.property(text, (given) => {
        const id = parseGlobalId(given);
        if (id !== null) {
          expect(globalId(id.type, id.key)).toBe(given);
        }
      }),
    );
  });

  test.each([
    ...words('12 _ wh wh_ wh_0 wh_-1 wh_01 wh_1.5 WH_1 wh-1 xx_1 wh_9007199254740992 wh_1_1'),
    ...words('at_1 at_1_0 at_1_2147483648 at_1_1_1 et_booking et_Booking.created et_1 __proto___1 constructor_1'),
    ...['', ' wh_1', 'wh_1 ', `et_${'a'.repeat(127)}.b`],
  ])('is not %j', (text) => {
    expect(parseGlobalId(text)).toBeNull();
  });

  test('of an attempt is made of the number of its delivery and its own', () => {
    fc.assert(
      fc.property(number, fc.integer({ min: 1, max: 2 ** 31 - 1 }), (deliveryId, index) => {
        expect(parseAttemptKey(attemptKey(deliveryId, index))).toEqual({ deliveryId, number: index });
      }),
    );
  });
});

describe('an id in an argument', () => {
  test('is the number alone or the global id', () => {
    fc.assert(
      fc.property(numbered, number, (type, id) => {
        expect(readId(type, String(id))).toBe(id);
        expect(readId(type, globalId(type, id))).toBe(id);
      }),
    );
  });

  test('of another type is never read as a number: the answer is that type', () => {
    fc.assert(
      fc.property(numbered, named, (type, other) => {
        const read = readId(type, globalId(other.type, other.key));
        expect(read).toBe(type === other.type ? Number(other.key) : other.type);
      }),
    );
  });

  test('is nothing for any other text', () => {
    for (const text of ['', '0', 'x', '01', '1.0', 'wh_', 'xx_1', ' 1']) {
      expect(readId('Webhook', text)).toBeNull();
    }
  });
});

describe('a sentence', () => {
  test.each([
    ['There is no webhook 12.', 'There is no webhook wh_12.'],
    ['There is no API key 7.', 'There is no API key key_7.'],
    ['Bulk operation 3 is COMPLETED already.', 'Bulk operation op_3 is COMPLETED already.'],
    ['The webhook of delivery 140123456789012 was deleted.', 'The webhook of delivery dl_140123456789012 was deleted.'],
    ['A tenant may have 5 active API keys.', 'A tenant may have 5 active API keys.'],
    ['There is no webhook with such an id.', 'There is no webhook with such an id.'],
  ])('%j names its object by the global id', (sentence, expected) => {
    expect(withGlobalIds(sentence)).toBe(expected);
  });

  test('has the right article before a type', () => {
    expect([aNounOf('Event'), aNounOf('ApiKey'), aNounOf('Webhook')]).toEqual(['an event', 'an API key', 'a webhook']);
  });
});
