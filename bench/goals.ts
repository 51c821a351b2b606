/**
 * What the figures should be: medians of 5 runs of the shipped defaults on 2 idle cores, with a durable Postgres.
 * On a slower or busier machine the rate says little; there it counts beside bare POSTs of the same run.
 */

interface Limit {
  /** A row of `rowsOf`. `*.` at its beginning: of each case of the scenario, and it must hold for all. */
  figure: string;
  atLeast?: number;
  atMost?: number;
}

export interface Goal {
  says: string;
  /** It is met when one of these is. */
  oneOf: readonly Limit[];
  /** It is not judged unless this is so: it says nothing of less. */
  provided?: Limit;
}

export interface Verdict {
  says: string;
  state: 'met' | 'missed' | 'unknown' | 'unjudged';
}

const goal = (says: string, ...oneOf: Limit[]): Goal => ({ says, oneOf });
const atMost = (figure: string, limit: number): Limit => ({ figure, atMost: limit });
const atLeast = (figure: string, limit: number): Limit => ({ figure, atLeast: limit });
const rate = (perSecond: number, percent: number): Goal =>
  goal(
    `${perSecond.toLocaleString('en')} deliveries/s or ${percent} % of bare POSTs`,
    atLeast('deliveriesPerSecond', perSecond),
    atLeast('percentOfBarePosts', percent),
  );
const cpu = (seconds: number): Goal =>
  goal(`at most ${seconds} CPU s per 10,000`, atMost('cpuSecondsPer10k.serviceAndPostgres', seconds));
const staysActive = goal('the webhook stays active', atMost('*.disabled', 0));
const rowBelowTen = goal('at most 9 failures in a row', atMost('*.failuresInARow', 9));
const allArrive = goal('every delivery arrives', atMost('*.notArrived', 0));
const backlogGone = (seconds: number): Goal =>
  goal(`the backlog is gone ${seconds} s after the recovery`, atMost('*.backlogSeconds', seconds));
const p99 = (ms: number): Goal => goal(`p99 at most ${ms} ms`, atMost('latency.p99Ms', ms));

/** A goal of the scenario `large`: on less it says nothing. */
const aboutLarge = (says: string, ...oneOf: Limit[]): Goal => ({
  ...goal(says, ...oneOf),
  provided: atLeast('webhooks', 1_000_000),
});

/** By the scenario's name. 3,500/s stands for 12 % of bare POSTs; the other percentages follow from that. */
export const goals: Readonly<Record<string, readonly Goal[]>> = {
  throughput: [rate(3500, 12), cpu(4)],
  latency: [
    goal('p50 at most 3.5 ms', atMost('latency.p50Ms', 3.5)),
    goal("p99 at most 15 ms above the bare POST's", atMost('p99AboveBarePostMs', 15)),
  ],
  filtered: [goal('an event costs at most 1.1 times the CPU of a plain one', atMost('cpuRatio', 1.1))],
  cold: [goal('p99 at most 2 times the warm one', atMost('p99Ratio', 2))],
  batch: [rate(9000, 31)],
  erasing: [goal('drain is at most 5 % slower beside the erasure', atLeast('ratioToAlone', 0.95))],
  fanout: [
    goal('the emit is answered in 60 ms (median)', atMost('emitAnswerMedianMs', 60)),
    goal('all 1,000 are delivered in 500 ms (median)', atMost('allDeliveredMedianMs', 500)),
  ],
  drain: [rate(12_000, 41), cpu(1.3)],
  isolation: [goal('p99 at most 1.5 times that of the healthy one alone', atMost('p99Ratio', 1.5)), p99(25)],
  noisy: [p99(250)],
  herd: [p99(250), goal('at most 64 in flight for one endpoint', atMost('herdInFlightMax', 64))],
  bulk: [goal('p99 at most 2 times that of the fresh traffic alone', atMost('p99Ratio', 2))],
  backlog: [
    goal("the rate is within 10 % of the empty system's", atLeast('rateRatio', 0.9)),
    goal("CPU per delivery is within 10 % of the empty system's", atMost('cpuRatio', 1.1)),
  ],
  explorer: [
    {
      ...goal('every page, chart and backlog of 10,000,000 deliveries in 50 ms (p99)', atMost('slowestP99Ms', 50)),
      provided: atLeast('seededDeliveries', 10_000_000),
    },
  ],
  large: [
    aboutLarge('idle, Postgres takes at most twice the CPU time', atMost('idleCpuRatio', 2)),
    aboutLarge(
      'no duty reads more than 2,000 blocks a call, and 10 for each row it works off',
      atMost('dearDuties', 0),
    ),
    aboutLarge('a first screen takes at most 3 times as long', atMost('firstScreenRatioMax', 3)),
    aboutLarge('a list takes at most twice as long', atMost('listRatioMax', 2)),
    aboutLarge('no statement of a page reads more than 5,000 blocks', atMost('dearPageStatements', 0)),
    aboutLarge('every page gets its answer', atMost('badAnswers', 0)),
    aboutLarge('the statements of emits and deliveries take at most 10 % longer', atMost('hotExecRatio', 1.1)),
    aboutLarge('the API starts in at most 1.5 times the time', atMost('apiStartRatio', 1.5)),
    aboutLarge('a daemon starts in at most 1.5 times the time', atMost('daemonStartRatio', 1.5)),
  ],
  dashboard: [
    goal('the first row is painted in 1,000 ms, with nothing cached', atMost('firstRowColdMs', 1000)),
    ...['portal', 'console'].flatMap((page) => [
      goal(`the ${page} loads at most 10 scripts before it is still`, atMost(`${page}Scripts`, 10)),
      goal(`the ${page} loads at most 180 KB of scripts and styles`, atMost(`${page}Kilobytes`, 180)),
      goal(`the ${page} is painted in 2,500 ms over a slow line`, atMost(`${page}SlowLcpMs`, 2500)),
    ]),
    goal('what comes in 100 ms is shown in 16 ms (median)', atMost('flushMedianMs', 16)),
    goal('from 5,000 to 100,000 rows the heap grows by at most 2 MiB', atMost('heapGrowthMiB', 2)),
  ],
  memory: [
    goal('at least 200,000 deliveries', atLeast('deliveries', 200_000)),
    goal('never above 250 MiB', atMost('servicePeakMemoryMiB', 250)),
    goal('over the last half it grows by at most 5 %', atMost('rssGrowthLastHalfPercent', 5)),
  ],
  start: [
    goal('an existing folder serves after 1.5 s', atMost('existingSeconds', 1.5)),
    goal('a new folder serves after 4 s', atMost('newSeconds', 4)),
    goal('an existing folder costs at most 1.2 CPU s', atMost('existingCpuSeconds', 1.2)),
    goal('the help of a command comes in 0.25 s', atMost('helpSeconds', 0.25)),
  ],
  reload: [
    staysActive,
    goal('no attempt counts as failed', atMost('*.failedAttempts', 0)),
    goal('no delivery has two attempts', atMost('*.attemptsPerDelivery', 1)),
    goal('everything arrives within a second', atMost('*.arrivalMaxMs', 1000)),
    allArrive,
  ],
  restart: [staysActive, rowBelowTen, backlogGone(10), allArrive],
  stall: [staysActive, rowBelowTen, backlogGone(10), allArrive],
  dead: [
    goal('disabled 10 s after the first failure or later', atLeast('*.disabledAfterSeconds', 10)),
    goal('disabled within 20 s of the first failure', atMost('*.disabledAfterSeconds', 20)),
    goal('by 10 failures, and no more', atMost('*.failuresInARow', 10)),
  ],
  limited: [
    staysActive,
    goal('at most 15 % are answered 429', atMost('*.limitedPercent', 15)),
    goal("what is never answered 429 takes at most 1.5 times the bucket's time", atMost('*.timeRatio', 1.5)),
    allArrive,
  ],
  slow: [
    goal('lag p99 at most two answer times', atMost('*.lagP99InAnswers', 2)),
    goal('overtaken by at most two answer times', atMost('*.overtakenInAnswers', 2)),
    allArrive,
  ],
  spell: [backlogGone(10), allArrive],
  mixture: [
    goal(
      'lag p99 at most two answer times, or 0.5 s, where three fifths of a part are enough',
      atMost('*.lagP99InAllowed', 1),
    ),
    goal('at most 1 % of the slots idle beyond the reserve while one is asked for', atMost('*.idlePercent', 1)),
    allArrive,
  ],
  'fanout-noisy': [
    goal("the quiet tenant's emit: p50 at most 40 ms", atMost('quietEmitAnswerP50Ms', 40)),
    goal("the quiet tenant's emit: p99 at most 250 ms", atMost('quietEmitAnswerP99Ms', 250)),
    goal("the quiet tenant's arrival: p99 at most 400 ms", atMost('latency.p99Ms', 400)),
  ],
  ordered: [
    goal('1,000 keys at 60 % of the rate without an order', atLeast('percentOfUnordered', 60)),
    goal('one key at 70/s to an endpoint of 10 ms', atLeast('oneKeyPerSecond', 70)),
    goal('without an order 90 % of that rate beside a key that stands still', atLeast('percentBesideBlocked', 90)),
  ],
  settling: [
    goal('the last event of each key arrives', atMost('lost', 0)),
    goal('at most one request of a key in each of its quiet times, or in its longest wait', atMost('requests', 400)),
    goal('the queues are empty at the end', atMost('queuedAtTheEnd', 0)),
  ],
  paced: [goal('p99 within 5 % of that beside endpoints without a rate', atMost('p99Ratio', 1.05))],
  dearest: [
    goal('10 KB: p99 at most 2 times that beside plain webhooks', atMost('*.p99Ratio', 2)),
    goal('256 KiB: p99 rises by at most 25 ms', atMost('*.p99RiseMs', 25)),
    allArrive,
    goal('no daemon finds the database silent', atMost('*.silences', 0)),
    goal('a Slack channel gets each event of 256 KiB', atMost('*.slackNotArrived', 0)),
    goal('a preview takes at most 20 ms of CPU beyond parsing', atMost('*.previewMaxMs', 20)),
  ],
  near: [goal('p50 at most 5 ms above that of the instant endpoint', atMost('p50DifferenceMs', 5))],
  keys: [
    goal('a known key is checked in 20 µs (median)', atMost('knownKeyMedianMicros', 20)),
    goal('the time does not tell a wrong secret from an unknown id', atMost('unknownOrWrongAbsT', 4.5)),
    goal('nor does that of the fastest nine in ten', atMost('unknownOrWrongFastestAbsT', 4.5)),
  ],
};

type Medians = Readonly<Record<string, number>>;

/**
 * Whether a goal is met by the medians of a scenario's runs. Unknown: this machine or run has not the figure; unjudged:
 * it was not measured on what the goal is about.
 */
export function verdictOf({ says, oneOf, provided }: Goal, medians: Medians): Verdict {
  if (provided !== undefined && !holds(provided, medians)) {
    return { says, state: 'unjudged' };
  }
  if (oneOf.every(({ figure }) => valuesOf(figure, medians).length === 0)) {
    return { says, state: 'unknown' };
  }
  return { says, state: oneOf.some((limit) => holds(limit, medians)) ? 'met' : 'missed' };
}

function holds({ figure, atLeast: least = -Infinity, atMost: most = Infinity }: Limit, medians: Medians): boolean {
  const values = valuesOf(figure, medians);
  return values.length > 0 && values.every((value) => value >= least && value <= most);
}

function valuesOf(figure: string, medians: Medians): number[] {
  const isMeant = (name: string) => (figure.startsWith('*.') ? name.endsWith(figure.slice(1)) : name === figure);
  return Object.entries(medians).flatMap(([name, value]) => (isMeant(name) ? [value] : []));
}
