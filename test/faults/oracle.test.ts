import { describe, expect, test } from 'vitest';
import { dateToId } from '../../src/domain/ids/delivery-id.js';
import type { AttemptState, DeliveryState, Evidence, HealthSeen, NewsState, Receipt } from './support/evidence.js';
import { judge } from './support/oracle.js';

const START = Date.UTC(2026, 0, 31, 9, 30);
const DELIVERY = dateToId(new Date(START));
const healthy: HealthSeen = { active: true, generation: 0, consecutiveFailures: 0 };

const delivery = (changes: Partial<DeliveryState> = {}): DeliveryState => ({
  id: DELIVERY,
  eventId: 1,
  webhookId: 1,
  status: 'SUCCEEDED',
  attemptCount: 1,
  operational: false,
  ...changes,
});
const attempt = (changes: Partial<AttemptState> = {}): AttemptState => ({
  deliveryId: DELIVERY,
  webhookId: 1,
  number: 1,
  verdict: 'SUCCEEDED',
  isUnanswered: false,
  startedAt: START + 10_000,
  finishedAt: START + 10_010,
  transaction: 'a',
  ...changes,
});
const receipt = (changes: Partial<Receipt> = {}): Receipt => ({
  deliveryId: DELIVERY,
  webhook: 'quick',
  arrivedAt: START + 20,
  status: 200,
  ...changes,
});

const told = (changes: Partial<NewsState> = {}): NewsState => ({
  eventId: dateToId(new Date(START + 1_000)),
  type: 'delivery.exhausted',
  aboutWebhookId: 1,
  count: 1,
  ...changes,
});

/** One event with one delivery that went well, but for what is given. */
const evidence = (changes: Partial<Evidence> = {}): Evidence => ({
  accepted: [{ key: 'k', eventId: 1, deliveryCount: 1 }],
  receipts: [receipt()],
  events: 1,
  news: [],
  deliveries: [delivery()],
  attempts: [attempt()],
  webhooks: [{ id: 1, ...healthy }],
  changes: [],
  ...changes,
});
const problemsOf = (changes: Partial<Evidence>) => judge(evidence(changes)).problems;

describe('the oracle of the fault tests', () => {
  test('has nothing to say when all went well', () => {
    expect(judge(evidence())).toMatchObject({
      problems: [],
      accepted: 1,
      lost: 0,
      duplicates: 0,
      byStatus: { SUCCEEDED: 1 },
      firstSend: { p50: 20, max: 20 },
    });
  });

  test('sees an accepted delivery that is not there', () => {
    const findings = judge(evidence({ deliveries: [], attempts: [], receipts: [] }));
    expect(findings.lost).toBe(1);
    expect(findings.problems).toEqual(['event k was accepted with 1 deliveries and has 0']);
  });

  test('lets an event be missing only if it was accepted before the primary died, and the standby had not got it', () => {
    const none = { events: 0, deliveries: [], attempts: [] };
    const eventId = dateToId(new Date(START));
    const accepted = [{ key: 'k', eventId, deliveryCount: 1 }];
    const of = (ids: number[], primaryDiedAt: number) =>
      judge(evidence({ ...none, accepted, standby: { eventIds: new Set(ids), primaryDiedAt } }));
    expect(of([], START + 1)).toMatchObject({ missing: 1, lost: 0, problems: [] });
    expect(of([eventId], START + 1)).toMatchObject({ missing: 0, problems: [expect.any(String), expect.any(String)] });
    expect(of([], START - 1)).toMatchObject({ missing: 0, problems: [expect.any(String), expect.any(String)] });
  });

  test('sees a key that made two events', () => {
    expect(problemsOf({ events: 2 })).toEqual(['1 keys were accepted, and there are 2 events']);
  });

  test('counts a delivery that still waits as lost, unless it was acknowledged', () => {
    const waiting = { deliveries: [delivery({ status: 'PENDING', attemptCount: 0 })], attempts: [] };
    expect(judge(evidence(waiting))).toMatchObject({
      lost: 0,
      problems: [expect.stringContaining('is PENDING in the end, although it was acknowledged')],
    });
    expect(judge(evidence({ ...waiting, receipts: [] }))).toMatchObject({
      lost: 1,
      problems: [expect.stringContaining('is PENDING in the end, and was never acknowledged')],
    });
  });

  test('lets an inactive webhook hold deliveries, and no other', () => {
    const held = { deliveries: [delivery({ status: 'HELD', attemptCount: 0 })], attempts: [], receipts: [] };
    expect(problemsOf(held)).toHaveLength(1);
    const off = { ...healthy, active: false, generation: 1 };
    const changes = [{ webhookId: 1, sequence: 1, transaction: 'b', at: START, before: healthy, after: off }];
    expect(problemsOf({ ...held, changes, webhooks: [{ id: 1, ...off }] })).toEqual([]);
  });

  test('does not believe a success that no receiver knows of', () => {
    expect(problemsOf({ receipts: [receipt({ status: 500 })] })).toEqual([
      expect.stringContaining('no receiver acknowledged it'),
    ]);
  });

  test.each([
    ['is missing', []],
    ['is there twice', [attempt(), attempt()]],
    ['has the wrong number', [attempt({ number: 2 })]],
  ])('sees when an attempt %s', (_, attempts) => {
    expect(problemsOf({ attempts })).toEqual([expect.stringContaining('counts 1 attempts')]);
  });

  test('wants a disturbance between two acknowledgements of one delivery', () => {
    const twice = evidence({ receipts: [receipt(), receipt({ arrivedAt: START + 500 })] });
    const killed = { from: START + 100, to: START + 110 };
    expect(judge(twice).problems).toEqual([expect.stringContaining('480 ms apart, with nothing broken')]);
    expect(judge(twice, [killed])).toMatchObject({ problems: [], duplicates: 1, duplicatesOfWorst: 1 });
    expect(judge(twice, [{ from: START + 501, to: START + 600 }]).problems).toHaveLength(1);
    expect(judge(twice, [{ from: START, to: START + 19 }]).problems).toHaveLength(1);
  });
});

describe('its judgement of health', () => {
  /** Attempts of one transaction, a second apart, each of 10 ms: `f` failed, `s` succeeded, `g` was told 410. */
  const attemptsOf = (letters: string, apartMs = 1_000): AttemptState[] =>
    [...letters].map((letter, index) => ({
      ...attempt({ deliveryId: DELIVERY + index }),
      verdict: letter === 's' ? 'SUCCEEDED' : letter === 'g' ? 'GONE' : 'FAILED',
      startedAt: START + 9_990 + index * apartMs,
      finishedAt: START + 10_000 + index * apartMs,
    }));
  const become = (consecutiveFailures: number, active = true): HealthSeen => ({
    active,
    consecutiveFailures,
    generation: active ? 0 : 1,
  });
  const lateBy = (ms: number) => (each: AttemptState) => ({
    ...each,
    startedAt: each.startedAt + ms,
    finishedAt: each.finishedAt + ms,
  });
  type Fold = [attempts: AttemptState[], after: HealthSeen];
  /** Changes of a webhook's row; each is recorded in the moment in which its last attempt finishes. */
  const evidenceOf = (...folds: Fold[]): Partial<Evidence> => {
    const attempts = folds.flatMap(([some], index) => some.map((each) => ({ ...each, transaction: String(index) })));
    const deliveries = attempts.map(({ deliveryId }) => delivery({ id: deliveryId }));
    return {
      attempts,
      changes: folds.map(([some, after], index) => ({
        webhookId: 1,
        sequence: index + 1,
        transaction: String(index),
        at: Math.max(...some.map(({ finishedAt }) => finishedAt)),
        before: folds[index - 1]?.[1] ?? healthy,
        after,
      })),
      webhooks: [{ id: 1, ...folds.at(-1)![1] }],
      deliveries,
      receipts: deliveries.map(({ id }) => receipt({ deliveryId: id })),
      accepted: [{ key: 'k', eventId: 1, deliveryCount: attempts.length }],
    };
  };
  const judgeFolds = (...folds: Fold[]) => judge(evidence(evidenceOf(...folds)));

  test.each([
    ['sff', become(2)],
    ['ffs', become(0)],
    ['f'.repeat(9), become(9)],
    ['f'.repeat(12), become(9)],
    [`${'f'.repeat(12)}sf`, become(1)],
    ['fg', become(2, false)],
    [`${'f'.repeat(12)}g`, become(10, false)],
  ])('agrees that %s leads to what it must', (letters, after) => {
    expect(judgeFolds([attemptsOf(letters), after])).toMatchObject({
      problems: [],
      health: { checkedExactly: 1, checkedWithinTies: 0, otherThanFinishOrder: 0 },
    });
  });

  test.each([
    ['sff', become(1)],
    ['sff', become(3)],
    ['ffs', become(2)],
    ['f'.repeat(10), become(10)],
    ['f'.repeat(10), become(10, false)],
    ['f'.repeat(12), become(12, false)],
  ])('objects when %s leads to something else', (letters, after) => {
    expect(judgeFolds([attemptsOf(letters), after]).problems).toHaveLength(1);
  });

  test('accepts any order of what finished at one time, and nothing else', () => {
    const tied = attemptsOf('ffs', 1);
    for (const count of [0, 1, 2]) {
      expect(judgeFolds([tied, become(count)])).toMatchObject({
        problems: [],
        health: { checkedWithinTies: 1 },
      });
    }
    expect(judgeFolds([tied, become(3)]).problems).toHaveLength(1);
  });

  describe('of the tenth failure', () => {
    const nine = attemptsOf('f'.repeat(9), 1);
    /** When the row of nine begins, which is when they are recorded. */
    const ROW = nine.at(-1)!.finishedAt;
    const tenth = (startedMs: number, finishedMs: number) => [
      attempt({
        deliveryId: DELIVERY + 100,
        verdict: 'FAILED',
        startedAt: ROW + startedMs,
        finishedAt: ROW + finishedMs,
      }),
    ];
    const spared = become(9);
    const disabled = become(10, false);

    test.each([
      ['that began clearly later must disable', tenth(3_100, 3_110), disabled, spared],
      ['that began together with the others must not', tenth(-20, 15_000), spared, disabled],
      ['that ends before the row has lasted long enough must not', tenth(300, 800), spared, disabled],
    ])('one %s', (_, attempts, right, wrong) => {
      expect(judgeFolds([nine, become(9)], [attempts, right])).toMatchObject({
        problems: [],
        health: { checkedExactly: 2, checkedWithinTies: 0 },
      });
      for (const other of [wrong, become(10), become(8), become(9, false)]) {
        expect(judgeFolds([nine, become(9)], [attempts, other]).problems).toHaveLength(1);
      }
    });

    test('accepts both where it cannot tell whether an attempt was loaded before the row', () => {
      const later = tenth(1_200, 1_300);
      for (const after of [spared, disabled]) {
        expect(judgeFolds([nine, become(9)], [later, after])).toMatchObject({
          problems: [],
          health: { checkedExactly: 1, checkedWithinTies: 1 },
        });
      }
      expect(judgeFolds([nine, become(9)], [later, become(10)]).problems).toHaveLength(1);
    });

    test('accepts both where the attempt may have been loaded during another row', () => {
      const [failure, success] = attemptsOf('fs').map((each, index) => ({
        ...each,
        deliveryId: DELIVERY + 200 + index,
        startedAt: ROW - 500 + index * 100,
        finishedAt: ROW - 400 + index * 100,
      }));
      const before: Fold[] = [
        [[failure!], become(1)],
        [[success!], become(0)],
        [nine, become(9)],
      ];
      for (const after of [spared, disabled]) {
        expect(judgeFolds(...before, [tenth(-400, 15_000), after]).problems).toEqual([]);
      }
    });

    test('wants the next attempt to disable after one was spared', () => {
      const spare: Fold = [tenth(-20, 1_500), spared];
      const next = tenth(4_000, 4_010).map((each) => ({ ...each, deliveryId: DELIVERY + 300 }));
      expect(judgeFolds([nine, become(9)], spare, [next, disabled]).problems).toEqual([]);
      expect(judgeFolds([nine, become(9)], spare, [next, spared]).problems).toHaveLength(1);
    });
  });

  test('objects to a count that no attempt explains, and to attempts that never counted', () => {
    const apart = evidenceOf([attemptsOf('s'), become(1)]);
    expect(problemsOf({ ...apart, attempts: [attempt({ transaction: 'b' })] })).toEqual([
      expect.stringContaining('without an attempt'),
    ]);
    expect(problemsOf({ attempts: [attempt({ verdict: 'FAILED' })] })).toEqual([
      expect.stringContaining('recorded without it'),
    ]);
  });

  test('wants the count to be 0 after the webhook was enabled', () => {
    const failing = attemptsOf('f'.repeat(10));
    const off = become(10, false);
    const judgeEnabled = (after: HealthSeen) => {
      const { changes, ...rest } = evidenceOf(
        [failing.slice(0, 9), become(9)],
        [failing.slice(9).map(lateBy(10_000)), off],
      );
      const enabling = {
        webhookId: 1,
        sequence: 3,
        transaction: 'c',
        at: START + 40_000,
        before: off,
        after,
      };
      return problemsOf({ ...rest, changes: [...changes!, enabling], webhooks: [{ id: 1, ...after }] });
    };
    expect(judgeEnabled({ active: true, generation: 2, consecutiveFailures: 0 })).toEqual([]);
    expect(judgeEnabled({ active: true, generation: 2, consecutiveFailures: 1 })).toHaveLength(1);
  });

  test('tells when another order than that of finishing was counted', () => {
    // The failure finished first, but was recorded after the success, by another process.
    const late = attempt({
      deliveryId: DELIVERY + 1,
      verdict: 'FAILED',
      transaction: 'b',
      finishedAt: START + 9_000,
    });
    const success = {
      webhookId: 1,
      sequence: 1,
      transaction: 'a',
      at: START,
      before: healthy,
      after: healthy,
    };
    const failure = { ...success, sequence: 2, transaction: 'b', after: become(1) };
    const findings = judge(
      evidence({
        attempts: [attempt(), late],
        changes: [success, failure],
        webhooks: [{ id: 1, ...become(1) }],
        deliveries: [delivery(), delivery({ id: DELIVERY + 1, status: 'FAILED' })],
        news: [told()],
        accepted: [{ key: 'k', eventId: 1, deliveryCount: 2 }],
      }),
    );
    expect(findings).toMatchObject({ problems: [], health: { checkedExactly: 2, otherThanFinishOrder: 1 } });
  });
});

describe('its judgement of what owners were told', () => {
  const failed = { deliveries: [delivery({ status: 'FAILED' })], receipts: [receipt({ status: 500 })] };
  const later = (ms: number) => dateToId(new Date(START + 1_000 + ms));

  test('wants every failed delivery to be told once, or to be counted for later', () => {
    expect(problemsOf({ ...failed, news: [told()] })).toEqual([]);
    expect(problemsOf({ ...failed, news: [told({ eventId: null })] })).toEqual([]);
    expect(problemsOf(failed)).toEqual([expect.stringContaining('1 failed deliveries, and 0 were told')]);
    expect(problemsOf({ ...failed, news: [told({ count: 2 })] })).toHaveLength(1);
    expect(problemsOf({ ...failed, news: [told(), told({ eventId: null })] })).toHaveLength(1);
    expect(problemsOf({ ...failed, news: [told({ aboutWebhookId: 2 })] })).toHaveLength(1);
  });

  test('wants no word of operational deliveries that failed, and none to the webhook that it is about', () => {
    const news = [told()];
    const tellOf = (webhookId: number) => {
      const id = DELIVERY + 4096;
      const telling = delivery({
        id,
        eventId: news[0]!.eventId!,
        webhookId,
        status: 'FAILED',
        operational: true,
      });
      return problemsOf({
        deliveries: [...failed.deliveries, telling],
        receipts: [...failed.receipts, receipt({ deliveryId: id, status: 500 })],
        attempts: [attempt(), attempt({ deliveryId: id, webhookId })],
        news,
      });
    };
    expect(tellOf(2)).toEqual([]);
    expect(tellOf(1)).toEqual([expect.stringContaining('about itself')]);
  });

  test('wants a minute between two of a kind', () => {
    const deliveries = [delivery({ status: 'FAILED' }), delivery({ id: DELIVERY + 1, status: 'FAILED' })];
    const two = {
      deliveries,
      attempts: deliveries.map(({ id }) => attempt({ deliveryId: id })),
      receipts: deliveries.map(({ id }) => receipt({ deliveryId: id, status: 500 })),
      accepted: [{ key: 'k', eventId: 1, deliveryCount: 2 }],
    };
    expect(problemsOf({ ...two, news: [told(), told({ eventId: later(60_000) })] })).toEqual([]);
    expect(problemsOf({ ...two, news: [told(), told({ eventId: later(50_000) })] })).toEqual([
      'delivery.exhausted of 1 was raised more often than once a minute',
    ]);
  });

  test('wants no disabling and no recovery told that was none', () => {
    expect(problemsOf({ news: [told({ type: 'webhook.disabled' })] })).toHaveLength(1);
    const off = { ...healthy, active: false, generation: 1 };
    const on = { ...healthy, generation: 2 };
    const changes = [
      { webhookId: 1, sequence: 1, transaction: 'b', at: START, before: healthy, after: off },
      { webhookId: 1, sequence: 2, transaction: 'c', at: START, before: off, after: on },
    ];
    const switched = { changes, webhooks: [{ id: 1, ...on }] };
    const disabled = told({ type: 'webhook.disabled' });
    const recovered = told({ type: 'webhook.recovered' });
    expect(problemsOf({ ...switched, news: [disabled, recovered] })).toEqual([]);
    expect(problemsOf({ ...switched, news: [recovered] })).toHaveLength(1);
  });
});
