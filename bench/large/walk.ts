import { median } from '../histogram.js';
import { type Question, questionsOf } from './questions.js';
import type { Side } from './side.js';
import { type Pair, pairsOf, type Statement, statementsDuring } from './statements.js';

/** The answers to one question in both installations. */
export interface Step {
  question: Pick<Question, 'name' | 'screen'>;
  /** Medians in ms. */
  largeMs: number;
  smallMs: number;
  /** How many answers of the large installation were no good ones. */
  failures: number;
  /** The first refusal, with the end of the log at that time; null: every answer was good. */
  fault: string | null;
  statements: Pair[];
}

const TIMES = 7;
const BLOCKS_MAX = 5_000;
/** A page that takes no longer is none that anybody waits for. */
const SHORT_MS = 5;

/** Asks everything in both installations, in turns, so that a busy moment of the machine meets both. */
export async function walk(large: Side, small: Side): Promise<Step[]> {
  await Promise.all([large.startApi(), small.startApi()]);
  const asked = questionsOf(await large.subject());
  const others = questionsOf(await small.subject());
  const steps: Step[] = [];
  for (const [index, question] of asked.entries()) {
    steps.push(await compare({ side: large, question }, { side: small, question: others[index]! }));
  }
  await Promise.all([large.stopApi(), small.stopApi()]);
  return steps;
}

interface Asked {
  side: Side;
  question: Question;
}

async function compare(large: Asked, small: Asked): Promise<Step> {
  let failures = 0;
  let fault: string | null = null;
  const times: Record<Side['name'], number[]> = { large: [], small: [] };
  const ask = async ({ side, question }: Asked) => {
    const startedAt = performance.now();
    const answer = await question.ask();
    times[side.name].push(performance.now() - startedAt);
    if (answer !== null && side === small.side) {
      throw new Error(`The small installation refuses ${question.name}: ${await withLog(side, answer)}`);
    }
    if (answer !== null) {
      failures += 1;
      fault ??= await withLog(side, answer);
    }
  };
  // The first answers, with nothing kept in the API, are not timed.
  const first = {
    large: await statementsDuring(large.side.database, () => ask(large)),
    small: await statementsDuring(small.side.database, () => ask(small)),
  };
  failures = 0;
  times.large.length = 0;
  times.small.length = 0;
  for (let time = 0; time < TIMES; time += 1) {
    await ask(small);
    await ask(large);
  }
  const { name, screen } = large.question;
  return {
    question: { name, screen },
    largeMs: median(times.large)!,
    smallMs: median(times.small)!,
    failures,
    fault,
    statements: pairsOf(first.large, first.small),
  };
}

/** The answer has a request's number alone; the log has the error with that number. */
async function withLog({ service }: Side, answer: string): Promise<string> {
  return [answer, ...(await service.process.troubles())].join('\n');
}

export const ratioOf = ({ largeMs, smallMs }: Step): number => largeMs / Math.max(smallMs, SHORT_MS);
export const readsTooMuch = ({ blocks, calls }: Statement): boolean => blocks / calls > BLOCKS_MAX;
