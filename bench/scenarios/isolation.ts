import { setTimeout as delay } from 'node:timers/promises';
import { deleteWebhook, enableWebhook } from '../client.js';
import { Histogram } from '../histogram.js';
import type { Service } from '../installation.js';
import { cpuBetween } from '../processes.js';
import type { Rig } from '../rig.js';
import { type Measurement, type Scenario, warmUp, warmUpLoad } from '../scenario.js';
import { besideSteadyLoad, faultsOf, latencyFigures, type SteadyLoadOf, warmUpSteadily } from '../steady.js';

const RATE_PER_SECOND = 100;
const HEALTHY = 'healthy';
const SLOW = 'slow';
const SILENT = 'silent';
const REFUSING = 'refusing';
const SLOW_MS = 10_000;
const ENABLE_EVERY_MS = 1000;
const WARM_UP_BESIDE_SICK_MS = 5_000;
/** Length of the sick phase for each of --seconds. */
const SICK_MS = 5000;

/**
 * The same events go to a healthy endpoint and to three sick ones of the same tenant: one answers 200 after 10 s (so
 * it is never disabled), one takes each request and never answers, and at one nobody listens. The service disables
 * the last two after 10 failures, which would make it easy: so they are enabled again each second. What was held
 * for them meanwhile is discarded: else a backlog that grows and is moved to and fro each second would be measured. The
 * healthy one is measured beside them for five times --seconds: the requests in flight pile up until their limit of
 * 15 s. And it is measured alone for as long, half of it before and half when the others are gone: the machine is not
 * equally fast all the time. Both ways are warmed up. The figures are those of the healthy endpoint beside the sick
 * ones, but for the CPU time, which is also that of the attempts at these.
 */
export const isolation: Scenario = {
  name: 'isolation',
  title: `${RATE_PER_SECOND} emits a second to a healthy endpoint, alone and beside a slow, a silent and a refusing one`,
  async prepare(rig) {
    const service = await rig.installation.start();
    await rig.subscribe(service, HEALTHY, 1);
    await rig.receiver.call('delay', { group: SLOW, ms: SLOW_MS });
    await rig.receiver.call('delay', { group: SILENT, ms: null });
    await warmUp(rig, service, HEALTHY, warmUpLoad);
    const healthy = { service, group: HEALTHY, ratePerSecond: RATE_PER_SECOND };
    await warmUpSteadily(rig, healthy);
    await besideSick(rig, healthy, WARM_UP_BESIDE_SICK_MS);
    return () => measure(rig, healthy);
  },
};

async function measure(rig: Rig, healthy: SteadyLoadOf): Promise<Measurement> {
  const measureAlone = async () => {
    await rig.receiver.call('reset', null);
    const { steady } = await besideSteadyLoad(rig, healthy, () => delay((SICK_MS / 2) * rig.seconds));
    return steady;
  };
  const aloneBefore = await measureAlone();
  const sick = await besideSick(rig, healthy, SICK_MS * rig.seconds);
  const aloneAfter = await measureAlone();
  const alone = Histogram.from(aloneBefore.latency, aloneAfter.latency).summary();
  const { steady } = sick;
  return {
    deliveries: steady.receipts.deliveries,
    seconds: sick.seconds,
    cpu: sick.cpu,
    latency: steady.latency,
    lost: steady.lost + aloneBefore.lost + aloneAfter.lost,
    unrecorded: steady.unrecorded + aloneBefore.unrecorded + aloneAfter.unrecorded + sick.unrecorded,
    ...faultsOf(steady.receipts, aloneBefore.receipts, aloneAfter.receipts),
    details: {
      ...latencyFigures('alone', alone),
      aloneGeneratorLateMaxMs: Math.max(aloneBefore.generatorLateMaxMs, aloneAfter.generatorLateMaxMs),
      p99Ratio: (steady.summary?.p99Ms ?? Number.NaN) / (alone?.p99Ms ?? Number.NaN),
      slowInFlightMax: sick.slow.inFlightMax,
      silentInFlightMax: sick.silent.inFlightMax,
      slowAttempts: sick.slow.deliveries + sick.slow.duplicates,
      silentAttempts: sick.silent.deliveries + sick.silent.duplicates,
      refusingAttempts: sick.refused,
      healthyEmitAnswerP99Ms: steady.answerP99Ms,
      generatorLateMaxMs: steady.generatorLateMaxMs,
    },
  };
}

/** Emits for that long beside the three sick ones, who come for it and are deleted, with what was sent to them. */
async function besideSick(rig: Rig, healthy: SteadyLoadOf, ms: number) {
  const { service } = healthy;
  const [slow] = await rig.subscribe(service, SLOW, 1);
  const [silent] = await rig.subscribe(service, SILENT, 1);
  const [refusing] = await rig.subscribe(service, REFUSING, 1, { refusing: true });
  await rig.receiver.call('reset', null);
  const before = await rig.cpu();
  const startedAt = performance.now();
  const { steady } = await besideSteadyLoad(rig, healthy, () => keepEnabled(service, [silent!, refusing!], ms));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = cpuBetween(before, await rig.cpu());
  const report = (group: string) => rig.receiver.call('report', group);
  const receipts = { slow: await report(SLOW), silent: await report(SILENT) };
  const refused = await (await rig.database()).attemptsOf(refusing!);
  for (const id of [slow!, silent!, refusing!]) {
    await deleteWebhook(service, id);
  }
  return { steady, seconds, cpu, ...receipts, refused, unrecorded: await rig.unrecorded() };
}

/** Enables webhooks each second for this long: an active one is left as it is. */
async function keepEnabled(service: Service, ids: readonly number[], ms: number): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    await Promise.all(ids.map((id) => enableWebhook(service, id)));
    await delay(Math.min(ENABLE_EVERY_MS, Math.max(0, end - performance.now())));
  }
}
