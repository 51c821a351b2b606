import type { Answer } from './http-probe.js';
import { type Case, detailOf, failed, isTaken, passed, type Result, skipped, type TestRun } from './test-case.js';

const COMFORTABLE_MS = 5_000;
const NEEDS_EFFECTS = skipped('needs --effect-url');

const DEDUPE_FIRST =
  'Keep the ids of deliveries that you have handled, and claim an id by one atomic step, such as an insert with a unique key.';
const CLAIM_LATE = 'Claim the id of a delivery when its body is complete and its signature is right, not earlier.';

const behaviour = (id: string, name: string, remedy: string, run: Case['run']): Case => ({
  id,
  group: 'behaviour',
  name,
  remedy,
  run,
});

const bothOf = (answers: readonly Answer[]) => answers.map(detailOf).join(', then ');
const effectsOf = (count: number) => `${count} effect${count === 1 ? '' : 's'}`;

/** The result of work that must be answered 2xx and, where effects are counted, have this many of them. */
async function takenWith(testRun: TestRun, expected: 1, work: () => Promise<Answer[]>): Promise<Result> {
  let answers: Answer[] = [];
  const run = async () => {
    answers = await work();
  };
  const count = testRun.effects === undefined ? await run() : await testRun.effects.during(run, expected);
  const detail = `${bothOf(answers)}${typeof count === 'number' ? `: ${effectsOf(count)}` : ''}`;
  return answers.every(isTaken) && (count ?? expected) === expected ? passed(detail) : failed(detail);
}

/** Sends what must leave nothing behind, and then the genuine delivery of the same id, which must be handled. */
async function leavesNothing(testRun: TestRun, spoil: (id: number) => Promise<unknown>): Promise<Result> {
  const id = testRun.newId();
  const early = testRun.effects === undefined ? await spoil(id) : await testRun.effects.during(() => spoil(id), 0);
  if (testRun.effects !== undefined && early !== 0) {
    return failed(`it had ${effectsOf(Number(early))}`);
  }
  return takenWith(testRun, 1, async () => [await testRun.send(testRun.delivery({ id }))]);
}

const WITH_EFFECTS: readonly Case[] = [
  behaviour('effect', 'a delivery has one effect', 'Handle each delivery that is genuine.', async (testRun) =>
    testRun.effects === undefined
      ? NEEDS_EFFECTS
      : takenWith(testRun, 1, async () => [await testRun.send(testRun.delivery())]),
  ),
  behaviour('duplicate', 'the same delivery twice', `Answer 2xx to it again. ${DEDUPE_FIRST}`, async (testRun) => {
    const id = testRun.newId();
    return takenWith(testRun, 1, async () => [
      await testRun.send(testRun.delivery({ id, ageSeconds: 120 })),
      await testRun.send(testRun.delivery({ id })),
    ]);
  }),
  behaviour('duplicate-at-once', 'the same delivery twice at the same time', DEDUPE_FIRST, async (testRun) => {
    if (testRun.effects === undefined) {
      return NEEDS_EFFECTS;
    }
    const delivery = testRun.delivery();
    let answers: Answer[] = [];
    const count = await testRun.effects.during(async () => {
      answers = await Promise.all([testRun.send(delivery), testRun.send(delivery)]);
    });
    const detail = `${bothOf(answers)}: ${effectsOf(count)}`;
    return count === 1 && answers.some(isTaken) ? passed(detail) : failed(detail);
  }),
  behaviour(
    'reordered',
    'an older delivery after a newer one',
    'Take deliveries in any order: go by the payload, not by the order of ids or times.',
    async (testRun) => {
      const [older, newer] = [testRun.newId(), testRun.newId()];
      const first = await testRun.send(testRun.delivery({ id: newer }));
      const second = await testRun.send(testRun.delivery({ id: older, ageSeconds: 60 }));
      return [first, second].every(isTaken) ? passed(bothOf([first, second])) : failed(bothOf([first, second]));
    },
  ),
  behaviour('forged-first', 'a forged delivery before the genuine one', CLAIM_LATE, (testRun) =>
    leavesNothing(testRun, (id) => testRun.send(testRun.delivery({ id, byOther: true }))),
  ),
  behaviour('cut', 'a connection that is cut in the middle of the body', CLAIM_LATE, (testRun) =>
    leavesNothing(testRun, (id) => testRun.send({ ...testRun.delivery({ id }), cut: true })),
  ),
];

const OF_CONNECTIONS: readonly Case[] = [
  behaviour(
    'slow-body',
    'a body that comes in parts',
    'Read the body to its end before you verify it: it may come in several chunks.',
    async (testRun) => {
      const answer = await testRun.send({ ...testRun.delivery(), parts: 4 });
      return isTaken(answer) ? passed(detailOf(answer)) : failed(detailOf(answer));
    },
  ),
  behaviour(
    'keep-alive',
    'a connection is used again',
    'Leave connections open (HTTP keep-alive): otherwise each delivery pays for a connection and TLS.',
    async (testRun) => {
      await testRun.send(testRun.delivery());
      const answer = await testRun.send(testRun.delivery());
      if (!isTaken(answer)) {
        return failed(detailOf(answer));
      }
      return answer.reused
        ? passed('the second request came on the same connection')
        : { verdict: 'warning', detail: 'the receiver closes the connection after each answer' };
    },
  ),
  behaviour(
    'get',
    'GET is not 2xx',
    'Register the route for the method of deliveries alone: a page that opens the URL must not look like a delivery.',
    async (testRun) => {
      const answer = await testRun.send({ method: 'GET', headers: {}, body: Buffer.alloc(0) });
      return isTaken(answer) || answer.status === 0 ? failed(detailOf(answer)) : passed(detailOf(answer));
    },
  ),
  behaviour(
    'in-time',
    'answers in time',
    'Answer first and work afterwards: after 15 seconds an attempt has failed and is repeated.',
    async ({ slowestMs }) => {
      const detail = `the slowest answer took ${slowestMs} ms`;
      return slowestMs > COMFORTABLE_MS ? { verdict: 'warning', detail } : passed(detail);
    },
  ),
];

export const BEHAVIOUR: readonly Case[] = [...WITH_EFFECTS, ...OF_CONNECTIONS];
