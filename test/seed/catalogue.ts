import type { Chance } from './chance.js';

/** The event types of a booking platform: those of every installation, and eight that this one has registered. */
interface SeededType {
  name: string;
  /** How often it is emitted, compared to the others. */
  weight: number;
  payload(chance: Chance, at: Date): Record<string, unknown>;
}

interface RegisteredType extends SeededType {
  description: string;
  schema: Record<string, unknown>;
  deprecated?: true;
}

const bookingCode = (chance: Chance) =>
  `BW-${Array.from({ length: 6 }, () => chance.pick([...'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'])).join('')}`;
const brands = ['Bluewater', 'Bluewater Select', 'Isla', 'Alpenruh'];
const guests = ['Ada Petrović', 'Jonas Weber', 'Mei-Ling Tan', 'Sofía Ramírez', 'Oluwaseun Ade', 'Léa Dubois'];
const money = (chance: Chance) => ({
  amount: chance.whole(2_900, 184_000),
  currency: chance.pick(['EUR', 'GBP', 'CHF']),
});
const timestamp = (at: Date) => at.toISOString().replace(/\.\d+Z$/, 'Z');

const shippedTypes: readonly SeededType[] = [
  {
    name: 'booking.created',
    weight: 30,
    payload: (chance) => ({
      booking_code: bookingCode(chance),
      local_number: `${chance.whole(100_000, 999_999)}`,
      brand: chance.pick(brands),
    }),
  },
  {
    name: 'booking.canceled',
    weight: 6,
    payload: (chance, at) => ({ booking_code: bookingCode(chance), canceled_at: timestamp(at) }),
  },
  {
    name: 'voucher.emitted',
    weight: 14,
    payload: (chance) => ({
      booking_code: bookingCode(chance),
      voucher_number: `V-${chance.whole(40_000, 99_999)}`,
    }),
  },
  {
    name: 'coupon.applied',
    weight: 9,
    payload: (chance) => ({
      code: chance.pick(['SUMMER25', 'EARLYBIRD', 'WELCOME10', 'FAMILY']),
      discount_type: chance.pick(['percent', 'fixed']),
    }),
  },
];

const text = { type: 'string' };
const code = {
  type: 'string',
  pattern: '^[A-Z]{2}-[A-Z0-9]{6}$',
  description: 'The code on the confirmation.',
  examples: ['BW-7F3K2Q'],
};
const payment = { ...text, description: 'As the provider has it.', examples: ['pay_8f31c2a09be4d716'] };
const moneySchema = {
  type: 'object',
  description: 'An amount in the smallest unit of its currency.',
  properties: {
    amount: { type: 'integer', minimum: 0, examples: [18_900] },
    currency: { type: 'string', enum: ['EUR', 'GBP', 'CHF'] },
  },
  required: ['amount', 'currency'],
  additionalProperties: false,
};
const time = { type: 'string', format: 'date-time' };

function schema(properties: Record<string, unknown>, required = Object.keys(properties)): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  };
}

export const registeredTypes: readonly RegisteredType[] = [
  {
    name: 'payment.captured',
    description: 'A payment was captured by the payment provider. Sent once for each capture, partial ones too.',
    weight: 26,
    schema: schema({
      booking_code: code,
      payment_id: payment,
      total: moneySchema,
      method: { enum: ['card', 'sepa', 'paypal'] },
    }),
    payload: (chance) => ({
      booking_code: bookingCode(chance),
      payment_id: `pay_${chance.hex(16)}`,
      total: money(chance),
      method: chance.pick(['card', 'card', 'sepa', 'paypal']),
    }),
  },
  {
    name: 'payment.refunded',
    description: 'A captured payment was given back, in full or in part.',
    weight: 4,
    schema: schema({ booking_code: code, payment_id: payment, refunded: moneySchema, reason: text }),
    payload: (chance) => ({
      booking_code: bookingCode(chance),
      payment_id: `pay_${chance.hex(16)}`,
      refunded: money(chance),
      reason: chance.pick(['canceled by guest', 'overbooking', 'goodwill']),
    }),
  },
  {
    name: 'invoice.issued',
    description: 'An invoice has its final number. Its PDF can be fetched for 90 days.',
    weight: 18,
    schema: schema({
      invoice_number: text,
      booking_code: code,
      lines: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          properties: { text, nights: { type: 'integer' }, total: moneySchema },
          required: ['text', 'total'],
        },
      },
      total: moneySchema,
    }),
    payload: (chance) => ({
      invoice_number: `2026-${chance.whole(10_000, 99_999)}`,
      booking_code: bookingCode(chance),
      lines: Array.from({ length: chance.whole(1, 4) }, () => ({
        text: chance.pick(['Double room, sea view', 'Breakfast', 'City tax', 'Airport transfer', 'Spa']),
        nights: chance.whole(1, 9),
        total: money(chance),
      })),
      total: money(chance),
    }),
  },
  {
    name: 'guest.checked_in',
    description: 'The front desk, or the guest by phone, has checked in.',
    weight: 16,
    schema: schema(
      {
        booking_code: code,
        guest: { type: 'object', properties: { name: text, language: text } },
        room: text,
        at: time,
        keyless: { type: 'boolean' },
      },
      ['booking_code', 'guest', 'room', 'at'],
    ),
    payload: (chance, at) => ({
      booking_code: bookingCode(chance),
      guest: { name: chance.pick(guests), language: chance.pick(['de', 'en', 'fr', 'es']) },
      room: `${chance.whole(1, 6)}${chance.whole(10, 48)}`,
      at: timestamp(at),
      keyless: chance.next() < 0.4,
    }),
  },
  {
    name: 'guest.checked_out',
    description: 'A stay has ended and the folio is closed.',
    weight: 14,
    schema: schema({ booking_code: code, nights: { type: 'integer', minimum: 1 }, at: time }),
    payload: (chance, at) => ({
      booking_code: bookingCode(chance),
      nights: chance.whole(1, 12),
      at: timestamp(at),
    }),
  },
  {
    name: 'review.submitted',
    description: 'A guest has reviewed a stay. The text is as the guest wrote it: escape it where you show it.',
    weight: 5,
    schema: schema({
      booking_code: code,
      stars: { type: 'integer', minimum: 1, maximum: 5 },
      text,
      language: text,
    }),
    payload: (chance) => ({
      booking_code: bookingCode(chance),
      stars: chance.pick([3, 4, 4, 5, 5, 5]),
      text: chance.pick([
        'Wunderbarer Blick, sehr ruhig.',
        'Lovely staff — we will be back! 🌊',
        '景色很美。',
        'El desayuno, excelente.',
      ]),
      language: chance.pick(['de', 'en', 'zh', 'es']),
    }),
  },
  {
    name: 'rate_plan.updated',
    description: 'Prices or restrictions of a rate plan have changed. Carries the whole calendar of the next 60 days.',
    weight: 7,
    schema: schema({
      rate_plan: text,
      currency: { enum: ['EUR', 'GBP', 'CHF'] },
      days: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            date: { type: 'string', format: 'date' },
            price: { type: 'integer' },
            closed: { type: 'boolean' },
          },
          required: ['date', 'price'],
        },
      },
    }),
    payload: (chance, at) => ({
      rate_plan: chance.pick(['FLEX', 'NONREF', 'CORP', 'WEEKLY']),
      currency: 'EUR',
      days: Array.from({ length: 60 }, (_, day) => ({
        date: new Date(at.getTime() + day * 86_400_000).toISOString().slice(0, 10),
        price: chance.whole(80, 320) * 100,
        closed: chance.next() < 0.05,
      })),
    }),
  },
  {
    name: 'loyalty.points_earned',
    description: 'Deprecated: points are part of payment.captured since March. A guest has earned points.',
    weight: 0,
    deprecated: true,
    schema: schema({ member: text, points: { type: 'integer' } }),
    payload: (chance) => ({ member: `M${chance.whole(10_000, 99_999)}`, points: chance.whole(10, 900) }),
  },
];

const types: readonly SeededType[] = [...shippedTypes, ...registeredTypes];
/** Each type as often as its weight says. */
const drawn = types.flatMap((type) => Array.from({ length: type.weight }, () => type));

/** One of the types that tenants emit, in their usual mix. */
export const pickType = (chance: Chance): SeededType => chance.pick(drawn);
