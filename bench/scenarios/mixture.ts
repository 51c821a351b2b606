import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { createTenant, deleteWebhook } from '../client.js';
import type { Service } from '../installation.js';
import { lagSince } from '../journal.js';
import type { Load } from '../load.js';
import {
  describeMixture,
  drawMixture,
  fiveTenants,
  judgedOf,
  lagMsMax,
  type MixedEndpoint,
  type Mixture,
  oneTenant,
} from '../mixture.js';
import { nowMicroseconds } from '../payload.js';
import type { Rig } from '../rig.js';
import { nothingDelivered, type Scenario, warmUp, warmUpLoad } from '../scenario.js';

/** Times --seconds. */
const EMIT_SECONDS = 15;
/** Slots that were taken before windows were open and levels known have ended by then (with a short run: in its second half). */
const SETTLED_WITHIN_SECONDS = 20;
/** For the rest of what the judged endpoints are to get, and its answers. */
const ARRIVAL_WITHIN_MS = 15_000;
/** The shipped setting. */
const SLOTS = 200;
const WARM_UP_GROUP = 'warm';

/** A tenant of a mixture: the service as it asks it, its webhooks, and their groups at the receiver. */
interface PlacedTenant {
  service: Service;
  perSecond: number;
  endpoints: readonly { endpoint: MixedEndpoint; group: string; webhookId: number }[];
}

/**
 * Tenants whose endpoints take different times for their answers, and want more slots together than there are. Judged
 * are those that need little: their lag, from emit to arrival, is in allowed lags (two answer times, half a second at
 * least). The mixture is drawn from --seed.
 */
export const mixture: Scenario = {
  name: 'mixture',
  title: 'tenants with slow and quick endpoints want more slots than there are',
  cases: [
    { name: 'drawn', usual: true },
    { name: 'five-tenants', usual: true },
    { name: 'one-tenant', usual: true },
  ],
  runs: 1,
  delivers: false,
  async prepare(rig) {
    const service = await rig.installation.start();
    const [webhookId] = await rig.subscribe(service, WARM_UP_GROUP, 1);
    await warmUp(rig, service, WARM_UP_GROUP, warmUpLoad);
    await deleteWebhook(service, webhookId!);
    const platform = { ...service, apiKey: await rig.installation.makePlatformKey() };
    const mixtures = { drawn: drawMixture(rig.seed), 'five-tenants': fiveTenants, 'one-tenant': oneTenant };
    const chosen = Object.entries(mixtures).filter(([name]) => rig.cases.includes(name));
    return async () => {
      const details: Record<string, number> = {};
      for (const [name, mixed] of chosen) {
        process.stdout.write(`mixture ${name}${name === 'drawn' ? ` of seed ${rig.seed}` : ''}:\n`);
        process.stdout.write(`${describeMixture(mixed)}\n`);
        for (const [figure, value] of Object.entries(await measure(rig, platform, name, mixed))) {
          details[`${name}.${figure}`] = value;
        }
      }
      return { ...nothingDelivered, details };
    };
  },
};

async function measure(rig: Rig, platform: Service, name: string, mixed: Mixture): Promise<Record<string, number>> {
  await rig.receiver.call('reset', null);
  const tenants = await place(rig, platform, name, mixed);
  const seconds = EMIT_SECONDS * rig.seconds;
  const settledMs = 1000 * Math.min(SETTLED_WITHIN_SECONDS, seconds / 2);
  const since = nowMicroseconds() + 1000 * settledMs;
  const emitted = rig.emitAllBeside(tenants.map((tenant) => loadFor(tenant, seconds)));
  emitted.catch(() => {}); // awaited below
  await delay(settledMs);
  const idleBefore = await readIdleSlotSeconds(platform);
  await emitted;
  const idle = (await readIdleSlotSeconds(platform)) - idleBefore;
  const measuredSeconds = (nowMicroseconds() - since) / 1_000_000;
  await delay(ARRIVAL_WITHIN_MS);
  const lags = await lagsOf(rig, tenants, judgedOf(mixed), since);
  for (const { service, endpoints } of tenants) {
    for (const { webhookId, group } of endpoints) {
      await deleteWebhook(service, webhookId);
      await rig.receiver.call('behave', group);
    }
  }
  return {
    judged: lags.length,
    lagP99InAllowed: Math.max(...lags.map(({ p99Ms, allowedMs }) => p99Ms / allowedMs)),
    lagP50MaxMs: Math.max(...lags.map(({ p50Ms }) => p50Ms)),
    notArrived: lags.reduce((sum, { notArrived }) => sum + notArrived, 0),
    idlePercent: (100 * idle) / (SLOTS * measuredSeconds),
  };
}

async function place(rig: Rig, platform: Service, name: string, mixed: Mixture): Promise<PlacedTenant[]> {
  const tenants: PlacedTenant[] = [];
  for (const [t, { perSecond, endpoints }] of mixed.entries()) {
    const service = { ...platform, tenantId: await createTenant(platform, `${name}-${t}`) };
    const placed: PlacedTenant['endpoints'][number][] = [];
    for (const [e, endpoint] of endpoints.entries()) {
      const group = `${name}-${t}-${e}`;
      await rig.receiver.call('delay', { group, ms: endpoint.answerMs });
      await rig.receiver.call('fail', { group, percent: endpoint.failPercent });
      if (endpoint.limit !== null) {
        await rig.receiver.call('limit', { group, limit: endpoint.limit });
      }
      const [webhookId] = await rig.subscribe(service, group, 1);
      placed.push({ endpoint, group, webhookId: webhookId! });
    }
    tenants.push({ service, perSecond, endpoints: placed });
  }
  return tenants;
}

const loadFor = ({ service: { origin, apiKey, tenantId }, perSecond }: PlacedTenant, seconds: number): Load => ({
  what: 'emit',
  url: origin,
  apiKey,
  ...(tenantId === undefined ? {} : { tenantIds: [tenantId] }),
  ratePerSecond: perSecond,
  isCoarse: true,
  seconds,
});

/** The lags of the judged endpoints; what has not arrived counts with the whole wait. */
async function lagsOf(rig: Rig, tenants: readonly PlacedTenant[], judged: readonly MixedEndpoint[], since: number) {
  const lags: { p50Ms: number; p99Ms: number; allowedMs: number; notArrived: number }[] = [];
  for (const { perSecond, endpoints } of tenants) {
    for (const { endpoint, group } of endpoints.filter((one) => judged.includes(one.endpoint))) {
      const notArrived =
        Math.round(perSecond * EMIT_SECONDS * rig.seconds) - (await rig.receiver.call('answered', group));
      const lag = lagSince(await rig.receiver.call('journal', group), since);
      for (let i = 0; i < notArrived; i++) {
        lag.record(1000 * ARRIVAL_WITHIN_MS);
      }
      const { p50Ms, p99Ms, maxMs } = lag.summary() ?? { p50Ms: Number.NaN, p99Ms: Number.NaN, maxMs: Number.NaN };
      const allowedMs = lagMsMax(endpoint);
      const shown = [p50Ms, p99Ms, maxMs].map(Math.round).join(' / ');
      process.stdout.write(
        `  ${group}: lag p50 / p99 / max ${shown} ms, allowed ${allowedMs}; ${notArrived} not arrived\n`,
      );
      lags.push({ p50Ms, p99Ms, allowedMs, notArrived });
    }
  }
  return lags;
}

/** Slot seconds without a request, beyond the reserve, while somebody asked for a slot; since the process started. */
async function readIdleSlotSeconds({ metricsUrl }: Service): Promise<number> {
  const { body } = await request(metricsUrl);
  return Number(/^hookwright_slots_idle_seconds_total (\S+)$/m.exec(await body.text())?.[1] ?? Number.NaN);
}
