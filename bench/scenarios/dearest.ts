import { deleteWebhook, emitOne, previewContent, registerEventType } from '../client.js';
import {
  CONTENTS,
  DEAR_EVENT_TYPE,
  dearEventType,
  dearPayload,
  drawContents,
  greatestSize,
  isWhole,
  probeOf,
} from '../dear-contents.js';
import { Histogram, median } from '../histogram.js';
import type { Service } from '../installation.js';
import type { ReceiptReport } from '../receipts.js';
import type { Rig } from '../rig.js';
import { nothingDelivered, type Scenario, warmUp, warmUpLoad } from '../scenario.js';
import type { ServiceProcess } from '../service-process.js';
import { besideSteadyLoad, faultsOf } from '../steady.js';

const WEBHOOKS = 100;
const QUIET = 'quiet';
const QUIET_PER_SECOND = 50;
/** Times --seconds. */
const EMIT_SECONDS = 2.5;
/** Chats have a rate of their own, which would be what their backlog waits for. */
const NO_RATE = 1_000;
const PREVIEWS = 20;
/** Parses the payload, and does hardly anything else. */
const PARSING = { format: 'TEMPLATE', template: ['{{note.none}}'] };

interface Case {
  name: string;
  /** Of the JSON of a payload; the largest one leaves room for what a content adds to it. */
  bytes: number;
  isLarge: boolean;
  perSecond: number;
  daemons: number;
}

const sizes = [
  { size: '10KB', bytes: 10_000, isLarge: false, perSecond: 1 },
  { size: '256KiB', bytes: 255 * 1_024, isLarge: true, perSecond: 0.5 },
];
const cases: readonly Case[] = sizes.flatMap(({ size, ...payload }) =>
  [1, 3].map((daemons) => ({ name: `${size}@${daemons}`, ...payload, daemons })),
);

interface Tenants {
  quiet: Service;
  crowd: Service;
}

/** Webhooks of the crowd with the same content; null: the plain payload. */
interface Group {
  name: string;
  webhooks: number;
  content: object | null;
}

/**
 * A tenant has 100 webhooks for each of its events, with the dearest contents that are allowed, of twelve kinds drawn
 * from --seed; another one sends 50 small events a second to one. The control has plain webhooks for the same payloads:
 * half of it before and half after. A content's size is found by `previewContent`.
 */
export const dearest: Scenario = {
  name: 'dearest',
  title: `${WEBHOOKS} webhooks with the dearest contents beside a quiet tenant: <payload>@<daemons>`,
  cases: cases.map(({ name }) => ({ name, usual: true })),
  runs: 1,
  delivers: false,
  async prepare(rig) {
    const { installation } = rig;
    await installation.stopAllInOne(await installation.start());
    const quiet = await installation.startApi();
    const platform = { ...quiet, apiKey: await installation.makePlatformKey() };
    await registerEventType(platform, dearEventType);
    const crowd = { ...quiet, apiKey: await installation.makeTenant('crowd') };
    await rig.subscribe(quiet, QUIET, 1);
    const daemons: ServiceProcess[] = [];
    return async () => {
      const total = { lost: 0, unrecorded: 0, duplicates: 0, signaturesChecked: 0, signaturesWrong: 0 };
      const details: Record<string, number> = {};
      for (const one of cases.filter(({ name }) => rig.cases.includes(name))) {
        await haveDaemons(rig, daemons, one.daemons);
        await warmUp(rig, quiet, QUIET, warmUpLoad);
        const { figures, ...faults } = await measureCase(rig, { quiet, crowd }, one, daemons);
        for (const name of Object.keys(total) as (keyof typeof total)[]) {
          total[name] += faults[name];
        }
        for (const [figure, value] of Object.entries(figures)) {
          details[`${one.name}.${figure}`] = value;
        }
      }
      return { ...nothingDelivered, ...total, details };
    };
  },
};

async function haveDaemons(rig: Rig, daemons: ServiceProcess[], wanted: number): Promise<void> {
  while (daemons.length < wanted) {
    daemons.push(await rig.installation.startDaemon());
  }
  for (const daemon of daemons.splice(wanted)) {
    await rig.installation.stop(daemon);
  }
}

async function measureCase(rig: Rig, tenants: Tenants, one: Case, daemons: readonly ServiceProcess[]) {
  process.stdout.write(`dearest ${one.name}, contents of seed ${rig.seed}:\n`);
  const contents = await fitContents(rig, tenants.crowd, one);
  const silencesOf = () => daemons.reduce((sum, { silences }) => sum + silences, 0);
  const silencesBefore = silencesOf();
  const plainly = [{ name: 'plain', webhooks: WEBHOOKS, content: null }];
  const plain = () => measureBeside(rig, tenants, one, EMIT_SECONDS / 2, plainly);
  const before = await plain();
  const dear = await measureBeside(rig, tenants, one, EMIT_SECONDS, contents);
  const after = await plain();
  const phases = [before, dear, after];
  const sum = (figure: (phase: (typeof phases)[number]) => number) =>
    phases.reduce((total, phase) => total + figure(phase), 0);
  const alone = Histogram.from(before.steady.latency, after.steady.latency).summary();
  const beside = dear.steady.summary;
  const p99Ms = { plain: alone?.p99Ms ?? Number.NaN, dear: beside?.p99Ms ?? Number.NaN };
  const previews = contents.map(({ previewMs }) => previewMs);
  return {
    lost: sum(({ lost }) => lost),
    unrecorded: sum(({ steady }) => steady.unrecorded),
    ...faultsOf(...phases.flatMap(({ receipts, steady }) => [...receipts.values(), steady.receipts])),
    figures: {
      besidePlainP50Ms: alone?.p50Ms ?? Number.NaN,
      besidePlainP99Ms: p99Ms.plain,
      besideDearP50Ms: beside?.p50Ms ?? Number.NaN,
      besideDearP99Ms: p99Ms.dear,
      ...(one.isLarge ? { p99RiseMs: p99Ms.dear - p99Ms.plain } : { p99Ratio: p99Ms.dear / p99Ms.plain }),
      plainBacklogSeconds: Math.max(before.backlogSeconds, after.backlogSeconds),
      backlogSeconds: dear.backlogSeconds,
      notArrived: dear.notArrived,
      tooLarge: dear.tooLarge,
      silences: silencesOf() - silencesBefore,
      ...slackFigures(one, dear, contents),
      previewMedianMs: median(previews) ?? Number.NaN,
      previewMaxMs: Math.max(...previews),
    },
  };
}

function slackFigures({ isLarge }: Case, { receipts, events }: Phase, contents: readonly Fitted[]) {
  const { webhooks } = contents.find(({ name }) => name === 'slack')!;
  const slackArrived = receipts.get('slack')!.deliveries;
  return isLarge ? { slackArrived, slackNotArrived: webhooks * events - slackArrived } : {};
}

interface Fitted extends Group {
  /** The API's CPU time beyond parsing the payload. */
  previewMs: number;
}

/** Makes each content as large as it may be about the payload, and measures the API's CPU time for its preview. */
async function fitContents(rig: Rig, service: Service, { bytes }: Case): Promise<Fitted[]> {
  // Before the tenant has a webhook: only its previews know this event.
  const eventId = await emitOne(service, { event: DEAR_EVENT_TYPE, body: dearPayload(bytes) });
  const preview = (content: object) => previewContent(service, eventId, content);
  const cpuMs = async (content: object) => {
    await preview(content);
    const before = rig.cpuOf(service.process) ?? Number.NaN;
    for (let i = 0; i < PREVIEWS; i++) {
      await preview(content);
    }
    return (1000 * ((rig.cpuOf(service.process) ?? Number.NaN) - before)) / PREVIEWS;
  };
  const parsingMs = await cpuMs(PARSING);
  const fitted: Fitted[] = [];
  for (const [index, dear] of drawContents(rig.seed).entries()) {
    const webhooks = Math.floor(WEBHOOKS / CONTENTS) + Number(index < WEBHOOKS % CONTENTS);
    const probe = (size: number) => probeOf(dear.ofSize(size));
    const size = await greatestSize(async (size) => isWhole(dear.ofSize(size), await preview(probe(size))));
    if (size === 0) {
      throw new Error(`The content ${dear.name} is refused: ${JSON.stringify(await preview(probe(1)))}`);
    }
    const previewMs = Math.max(0, (await cpuMs(probe(size))) - parsingMs);
    process.stdout.write(`  ${dear.name} of size ${size}: a preview takes ${previewMs.toFixed(1)} ms of CPU\n`);
    const content = dear.ofSize(dear.isShared ? Math.max(1, Math.floor(size / webhooks)) : size);
    fitted.push({ name: dear.name, content, webhooks, previewMs });
  }
  return fitted;
}

type Phase = Awaited<ReturnType<typeof measureBeside>>;

/** The crowd emits for so many times --seconds, beside the quiet tenant, which goes on until all of it has come. */
async function measureBeside(
  rig: Rig,
  { quiet, crowd }: Tenants,
  { bytes, perSecond }: Case,
  timesSeconds: number,
  groups: readonly Group[],
) {
  await rig.receiver.call('reset', null);
  const webhookIds: number[] = [];
  for (const { name, webhooks, content } of groups) {
    const form = content === null ? {} : { content, ratePerSecond: NO_RATE };
    webhookIds.push(...(await rig.subscribe(crowd, name, webhooks, { eventType: DEAR_EVENT_TYPE, ...form })));
  }
  const names = groups.map(({ name }) => name);
  const event = { event: DEAR_EVENT_TYPE, body: dearPayload(bytes) };
  const seconds = Math.max(timesSeconds * rig.seconds, 1 / perSecond);
  const load = { service: quiet, group: QUIET, ratePerSecond: QUIET_PER_SECOND };
  const { result, steady } = await besideSteadyLoad(rig, load, async () => {
    const emitted = await rig.emitBeside(crowd, { what: 'emit', ratePerSecond: perSecond, seconds, event });
    return { emitted, pending: await rig.unrecorded(...names) };
  });
  const { emitted, pending } = result;
  const tooLarge = await (await rig.database()).failedWith('CONTENT_TOO_LARGE', webhookIds);
  const receipts = await receiptsOf(rig, names);
  const arrived = [...receipts.values()].reduce((sum, { deliveries }) => sum + deliveries, 0);
  const lastAt = Math.max(...[...receipts.values()].map((report) => report.lastAt));
  for (const id of webhookIds) {
    await deleteWebhook(crowd, id);
  }
  const notArrived = emitted.deliveries - tooLarge - arrived;
  return {
    steady,
    receipts,
    events: emitted.events,
    tooLarge,
    notArrived,
    lost: steady.lost + notArrived - pending,
    backlogSeconds: pending > 0 ? Number.NaN : Math.max(0, lastAt - emitted.endedAt) / 1_000_000,
  };
}

async function receiptsOf(rig: Rig, groups: readonly string[]): Promise<Map<string, ReceiptReport>> {
  const receipts = new Map<string, ReceiptReport>();
  for (const group of groups) {
    receipts.set(group, await rig.receiver.call('report', group));
  }
  return receipts;
}
