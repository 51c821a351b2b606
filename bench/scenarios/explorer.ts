import { dataIn, post } from '../client.js';
import { Histogram } from '../histogram.js';
import type { Service } from '../installation.js';
import { type Measurement, nothingDelivered, type Scenario } from '../scenario.js';
import { OTHER_TENANTS, seedHistory } from '../seed-history.js';

const DAYS = 30;
const WEBHOOKS = 100;
const DAY_MS = 86_400_000;
const WARM_UP_REQUESTS = 10;
const REQUESTS = 100;

/**
 * What a dashboard asks, of an installation with a long past. The requests come one after the other, so that the
 * figures are those of the answers and not of a queue. No daemon runs: the figures are to be repeatable.
 */
export const explorer: Scenario = {
  name: 'explorer',
  title: `a dashboard's questions over ${DAYS} days of deliveries to ${WEBHOOKS} webhooks`,
  runs: 1,
  delivers: false,
  // One key asks thousands of times in a row, which no dashboard does.
  settings: { MANAGEMENT_RATE_MAX: '100000', MANAGEMENT_BURST_MAX: '100000' },
  async prepare(rig) {
    const { installation, deliveries } = rig;
    const allInOne = await installation.start();
    const database = await installation.stopAllInOne(allInOne);
    const { rows } = await database.pool.query<{ id: string }>('select min(id) as id from hookwright.tenants');
    for (let i = 0; i < OTHER_TENANTS; i++) {
      await installation.makeTenant(`other ${i + 1}`);
    }
    const startedAt = performance.now();
    const history = { tenantId: Number(rows[0]!.id), deliveries, days: DAYS, webhooks: WEBHOOKS };
    const { webhookIds, seeded } = await seedHistory(database, history);
    const seedSeconds = (performance.now() - startedAt) / 1000;
    const service = await installation.startApi();

    return async (): Promise<Measurement> => {
      const details: Record<string, number> = { seededDeliveries: seeded, seedSeconds };
      let slowestP99Ms = 0;
      for (const [name, query] of Object.entries(questions(webhookIds))) {
        const { p50Ms, p99Ms } = await timesOf(service, query);
        details[`${name}P50Ms`] = p50Ms;
        details[`${name}P99Ms`] = p99Ms;
        slowestP99Ms = Math.max(slowestP99Ms, p99Ms);
      }
      return { ...nothingDelivered, details: { ...details, slowestP99Ms } };
    };
  },
};

function questions([busy, quiet, paused]: readonly number[]): Record<string, string> {
  const ago = (days: number) => `"${new Date(Date.now() - days * DAY_MS).toISOString()}"`;
  const page = (filter: string) =>
    `{ deliveries(first: 50${filter && `, filter: {${filter}}`}) {
       edges { cursor node { id eventType status attemptCount createdAt finishedAt nextAttemptAt lastStatusCode } }
       pageInfo { hasNextPage endCursor } } }`;
  const figures = 'attempts successes failures successRate p50Ms p95Ms p99Ms';
  const stats = (args: string) =>
    `{ stats(${args}) { since until resolution total { ${figures} } buckets { start ${figures} } } }`;
  const backlog = 'backlog { due oldestDueAt scheduled held countMax }';
  return {
    page: page(''),
    pageOfWebhook: page(`webhookId: "${busy}"`),
    pageFailed: page('status: FAILED'),
    pageSucceeded: page('status: SUCCEEDED'),
    pagePending: page('status: PENDING'),
    pageHeld: page('status: HELD'),
    pageCanceled: page('status: CANCELED'),
    pageFailedOfWebhook: page(`status: FAILED, webhookId: "${quiet}"`),
    pageHeldOfWebhook: page(`status: HELD, webhookId: "${busy}"`),
    pageCanceledOfWebhook: page(`status: CANCELED, webhookId: "${busy}"`),
    pageOfEventType: page('eventType: "coupon.applied"'),
    pageOfRange: page(`since: ${ago(20)}, until: ${ago(19)}`),
    pageFailedOfRange: page(`status: FAILED, since: ${ago(20)}, until: ${ago(19)}`),
    stats30DaysByHour: stats(`since: ${ago(30)}, resolution: HOUR`),
    stats60DaysByHour: stats(`since: ${ago(60)}, resolution: HOUR`),
    stats24HoursByMinute: stats(`since: ${ago(1)}, resolution: MINUTE`),
    stats90DaysByDay: stats(`since: ${ago(90)}, resolution: DAY`),
    statsOfWebhook: stats(`since: ${ago(30)}, resolution: HOUR, webhookId: "${busy}"`),
    statsOfEventType: stats(`since: ${ago(30)}, resolution: HOUR, eventType: "coupon.applied"`),
    statsOfWebhookAndType: stats(
      `since: ${ago(1)}, resolution: MINUTE, webhookId: "${busy}", eventType: "coupon.applied"`,
    ),
    statsOfWebhooks: `{ webhooks(first: 50) { edges { node { id
      stats(since: ${ago(7)}, resolution: DAY) { total { ${figures} } } } } } }`,
    statsOfWebhooksByHour: `{ webhooks(first: 50) { edges { node { id
      stats(since: ${ago(7)}, resolution: HOUR) { total { ${figures} } } } } } }`,
    backlog: `{ ${backlog} }`,
    backlogOfWebhook: `{ webhook(id: "${busy}") { ${backlog} } }`,
    backlogOfPaused: `{ webhook(id: "${paused}") { heldCount ${backlog} } }`,
    backlogOfWebhooks: `{ webhooks(first: 50) { edges { node { id ${backlog} } } } }`,
  };
}

/** @throws Error with the answer when it is not a good one */
async function timesOf(service: Service, query: string): Promise<{ p50Ms: number; p99Ms: number }> {
  const histogram = new Histogram();
  for (let i = 0; i < WARM_UP_REQUESTS + REQUESTS; i++) {
    const startedAt = performance.now();
    const answer = await post(service, query);
    const microseconds = (performance.now() - startedAt) * 1000;
    dataIn(answer);
    if (i >= WARM_UP_REQUESTS) {
      histogram.record(microseconds);
    }
  }
  return histogram.summary()!;
}
