import { compareHotPath } from '../large/hot-path.js';
import { readsTooMuch as dutyReadsTooMuch, watchIdle } from '../large/idle.js';
import type { Size } from '../large/plan.js';
import { Side } from '../large/side.js';
import { compareStarts } from '../large/start.js';
import { lineHeads, lineOf, type Pair, pairsOf, type Statement } from '../large/statements.js';
import { ratioOf, readsTooMuch, type Step, walk } from '../large/walk.js';
import type { Rig } from '../rig.js';
import { type Measurement, nothingDelivered, type Scenario } from '../scenario.js';

/** An ordinary installation: its pages are as full as those of the large one. */
const SMALL: Size = { tenants: 100, webhooks: 1_000, deliveries: 100_000 };
const SCREEN_RATIO_MAX = { first: 3, list: 2 } as const;

/** What a large installation does and answers, beside a small one that does the same. */
export const large: Scenario = {
  name: 'large',
  title: 'an installation of a million webhooks beside one of a thousand',
  runs: 1,
  delivers: false,
  // It asks faster than people do, and no load balancer has to notice that an API ends.
  settings: { MANAGEMENT_RATE_MAX: '100000', MANAGEMENT_BURST_MAX: '100000', SHUTDOWN_DELAY_MS: '0' },
  async prepare(rig) {
    const { tenants, webhooks, urls, idleSeconds } = rig.large;
    const small = await Side.open('small', await rig.another(), SMALL, urls?.small);
    const size = { tenants, webhooks, deliveries: rig.deliveries };
    const side = await Side.open('large', rig, size, urls?.large);
    return () => measure(side, small, rig, idleSeconds);
  },
};

async function measure(large: Side, small: Side, rig: Rig, idleSeconds: number): Promise<Measurement> {
  const starts = await compareStarts(large, small);
  const idle = await watchIdle(large, small, idleSeconds);
  const steps = await walk(large, small);
  const hot = await compareHotPath(large, small);

  const duties = pairsOf(idle.large.statements, idle.small.statements);
  const atStart = pairsOf(starts.statements.large, starts.statements.small);
  const tooDear = {
    duties: duties.filter((pair) => dutyReadsTooMuch(pair.large)),
    starts: atStart.filter((pair) => dutyReadsTooMuch(pair.large)),
    pages: distinct(steps.flatMap(({ statements }) => statements.filter((pair) => readsTooMuch(pair.large)))),
  };
  const ratioMax = (screen: Step['question']['screen']) =>
    Math.max(...steps.filter(({ question }) => question.screen === screen).map(ratioOf));
  const details = {
    ...(large.seedSeconds === null ? {} : { seedSeconds: large.seedSeconds }),
    webhooks: rig.large.webhooks,
    idleSeconds,
    idleCpuRatio: (idle.large.cpuSeconds ?? Number.NaN) / (idle.small.cpuSeconds ?? Number.NaN),
    idleCpuSecondsLarge: idle.large.cpuSeconds ?? Number.NaN,
    idleCpuSecondsSmall: idle.small.cpuSeconds ?? Number.NaN,
    idleExecRatio: execMs(idle.large.statements) / execMs(idle.small.statements),
    dearDuties: tooDear.duties.length,
    firstScreenRatioMax: ratioMax('first'),
    listRatioMax: ratioMax('list'),
    dearPageStatements: tooDear.pages.length,
    badAnswers: steps.filter(({ failures }) => failures > 0).length,
    ...hot.details,
    apiStartRatio: starts.apiRatio,
    daemonStartRatio: starts.daemonRatio,
  };
  const lastRound = (side: Side) => hot.rounds[side.name].at(-1)!.statements;
  const notes = [
    ...table('Duties that read too much', tooDear.duties),
    ...table('Statements at the start that read too much', tooDear.starts),
    ...slowSteps(steps),
    ...faultsOf(steps),
    ...table('Statements of pages that read too much', tooDear.pages),
    ...table('The dearest of an idle time', byTime(duties).slice(0, 15)),
    ...table('The dearest of emits and deliveries', byTime(pairsOf(lastRound(large), lastRound(small))).slice(0, 10)),
  ];
  return { ...nothingDelivered, details, notes };
}

const execMs = (statements: readonly Statement[]) => statements.reduce((sum, one) => sum + one.execMs, 0);
const byTime = (pairs: readonly Pair[]) => pairs.toSorted((a, b) => b.large.execMs - a.large.execMs);

/** Each statement once, where it read the most. */
function distinct(pairs: readonly Pair[]): Pair[] {
  const found = new Map<string, Pair>();
  for (const pair of pairs.toSorted((a, b) => a.large.blocks / a.large.calls - b.large.blocks / b.large.calls)) {
    found.set(pair.large.id, pair);
  }
  return [...found.values()].reverse();
}

const table = (title: string, pairs: readonly Pair[]): string[] =>
  pairs.length === 0 ? [`\n${title}: none`] : [`\n${title}:\n`, ...lineHeads, ...pairs.map(lineOf)];

function slowSteps(steps: readonly Step[]): string[] {
  const slow = steps.filter((step) => step.failures > 0 || ratioOf(step) > SCREEN_RATIO_MAX[step.question.screen]);
  const lines = slow
    .toSorted((a, b) => ratioOf(b) - ratioOf(a))
    .map((step) => {
      const { question, largeMs, smallMs, failures } = step;
      const blocks = step.statements.reduce((sum, { large }) => sum + large.blocks, 0);
      const end = failures > 0 ? `${failures} without a good answer` : '';
      return `| ${question.name} | ${question.screen} | ${largeMs.toFixed(1)} | ${smallMs.toFixed(1)} | ${ratioOf(step).toFixed(1)} | ${blocks} | ${end} |`;
    });
  return lines.length === 0
    ? ['\nPages that are slower than they may be: none']
    : [
        '\nPages that are slower than they may be:\n',
        '| page | | ms | small: ms | times | blocks | |',
        '|---|---|---|---|---|---|---|',
        ...lines,
      ];
}

const faultsOf = (steps: readonly Step[]): string[] =>
  steps.flatMap(({ question, fault }) => (fault === null ? [] : [`\nThe answer to ${question.name}:\n\n${fault}`]));
