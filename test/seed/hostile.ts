import type { Services } from '../../src/api/context/context.js';
import { dateToId } from '../../src/domain/ids/delivery-id.js';
import { createApiKey } from '../../src/operations/keys/create-api-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import type { Behaves } from './answers.js';
import type { Chance } from './chance.js';
import type { SeededEndpoint } from './endpoints.js';
import { HOUR_MS, type PastDelivery, type PastEvent, pastDeliveries } from './simulate.js';
import { attemptRow, deliveryRow, eventRow, insertRows, type MadeWebhook, writeHealth, writeQueues } from './write.js';

/** Runs where it is taken for HTML: the page then says so on its console, as an error. */
const MARKUP = `<img src=x onerror="console.error('markup ran')"><script>console.error('markup ran')</script>`;
/** Turns what follows around, hides, and joins. */
const BIDI = 'invoice_\u202Efdp.exe\u2066hidden\u2069\u200B\u200D\uFEFF';
const PAYLOAD_BYTES = 262_144;
const BODY_BYTES = 16_384;

export const HOSTILE_TENANT = `${MARKUP} ${BIDI} "'&lt;`;

const urls = [
  `https://a.hostile.example.com/"><script>console.error('markup ran')</script>?${MARKUP}`,
  `https://b.hostile.example.com/${BIDI}`,
  `https://c.hostile.example.com/${'long/'.repeat(390)}`,
];

const bodies: readonly (string | Buffer)[] = [
  MARKUP.repeat(50),
  BIDI.repeat(100),
  Buffer.from([0, 1, 2, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0xff, 0xfe, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
  'A'.repeat(BODY_BYTES),
  `{"unterminated": "${MARKUP}`,
  `${'['.repeat(BODY_BYTES / 2)}${']'.repeat(BODY_BYTES / 2)}`,
];

const headers: readonly Record<string, string | string[]>[] = [
  {
    'content-type': `text/html; ${MARKUP}`,
    server: BIDI,
    location: "javascript:console.error('markup ran')",
  },
  Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`x-h${n}`, `${n}`])),
  { 'set-cookie': Array.from({ length: 400 }, (_, n) => `c${n}=${MARKUP.slice(0, 12)}`) },
  JSON.parse('{"__proto__": "polluted", "constructor": "x", "toString": "x"}') as Record<string, string>,
];

const payloads: readonly string[] = [
  JSON.stringify({ code: MARKUP, discount_type: BIDI }),
  JSON.stringify({ code: 'x'.repeat(PAYLOAD_BYTES - 40), discount_type: 'long' }),
  `{"code": "\\u0000\\u001b[31m", "discount_type": "${'\\u202e'.repeat(200)}"}`,
  `{ "code" : "spaces are part of what was signed"  ,\n\t"discount_type":"\u{1F469}\u200D\u{1F680}" }`,
];

/** Its keys are values of payloads. One of them is blocked. */
const ordered: NonNullable<SeededEndpoint['settings']> = {
  filter: { field: { path: 'discount_type', op: 'NE', value: `${MARKUP} ${BIDI}` } },
  format: 'SLACK',
  text: `${MARKUP} ${BIDI} {{code}}`,
  by: 'KEY',
  keyPath: 'code',
  onFailure: 'BLOCK',
};

const answer: Behaves = (chance, hoursAgo, body) => ({
  kind: 'response',
  status: hoursAgo < 6 && body.includes('<img src=x') ? 500 : chance.pick([200, 200, 500]),
  latencyMs: chance.around(80),
  headers: {},
  body: '',
});

/**
 * A tenant whose names, urls, headers and bodies are what an attacker, or a careless receiver, would choose. None of it may
 * be taken for anything but text.
 */
export async function seedHostile(
  { db, random }: Pick<Services, 'db' | 'random'>,
  chance: Chance,
  now: number,
  tenantId: number,
  makeWebhook: (endpoint: SeededEndpoint) => Promise<MadeWebhook>,
): Promise<void> {
  await createApiKey(db, random, {
    tenantId,
    name: HOSTILE_TENANT,
    scopes: ['webhooks:read'],
    by: commandLine,
  });
  const events: PastEvent[] = Array.from({ length: 60 }, (_, index) => {
    const at = now - (60 - index) * (HOUR_MS / 4);
    return {
      id: dateToId(new Date(at)) + 3_000,
      at,
      type: 'coupon.applied',
      body: payloads[index % payloads.length]!,
    };
  });
  await insertRows(
    db.pool,
    'events',
    events.map((event) => eventRow(tenantId, event)),
  );
  for (const [index, url] of urls.entries()) {
    const settings = index === 0 ? { settings: ordered } : {};
    const endpoint = { url, eventTypes: ['*'], behaves: answer, createdDaysAgo: 20, ...settings };
    const webhook = await makeWebhook(endpoint);
    const { deliveries, queued, health } = pastDeliveries(chance, now, endpoint, events);
    await insertRows(
      db.pool,
      'deliveries',
      deliveries.map((delivery) => deliveryRow(webhook, delivery)),
    );
    await insertRows(db.pool, 'attempts', hostileAttempts(chance, webhook, deliveries));
    await writeQueues(db.pool, webhook, queued);
    await writeHealth(
      db.pool,
      webhook.id,
      { ...health, closedUntil: null },
      new Date(now - (20 - index) * 24 * HOUR_MS),
    );
  }
}

function hostileAttempts(chance: Chance, webhook: MadeWebhook, deliveries: readonly PastDelivery[]): object[] {
  return deliveries.flatMap((delivery, index) =>
    delivery.attempts.map((attempt) => {
      const body = bodies[(index + attempt.number) % bodies.length]!;
      return {
        ...attemptRow(chance, webhook, delivery, attempt),
        response_headers: JSON.stringify(headers[index % headers.length]),
        response_body: `\\x${Buffer.from(body).subarray(0, BODY_BYTES).toString('hex')}`,
        response_truncated: body.length >= BODY_BYTES,
      };
    }),
  );
}
