import { describe, expect, test } from 'vitest';
import { dateToId } from '../../src/domain/delivery-id.js';
import type { HealthState } from '../../src/domain/health.js';
import type { AttemptState, DeliveryState, Evidence, NewsState, Receipt } from './support/evidence.js';
import { judge } from './support/oracle.js';

const START = Date.UTC(2026, 0, 31, 9, 30);
const DELIVERY = dateToId(new Date(START));
const healthy: HealthState = { active: true, generation: 0, consecutiveFailures: 0 };

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
  /** Attempts of one transaction, a second apart: `f` failed, `s` succeeded, `g` was told 410. */
  const attemptsOf = (letters: string, apartMs = 1_000): AttemptState[] =>
    [...letters].map((letter, index) => ({
      ...attempt({ deliveryId: DELIVERY + index }),
      verdict: letter === 's' ? 'SUCCEEDED' : letter === 'g' ? 'GONE' : 'FAILED',
      finishedAt: START + 10_000 + index * apartMs,
    }));
  const become = (consecutiveFailures: number, active = true): HealthState => ({
    active,
    consecutiveFailures,
    generation: active ? 0 : 1,
  });
  const judgeFold = (attempts: AttemptState[], after: HealthState) => {
    const change = { webhookId: 1, sequence: 1, transaction: 'a', at: START, before: healthy, after };
    const deliveries = attempts.map(({ deliveryId }) => delivery({ id: deliveryId }));
    const receipts = deliveries.map(({ id }) => receipt({ deliveryId: id }));
    const accepted = [{ key: 'k', eventId: 1, deliveryCount: attempts.length }];
    const webhooks = [{ id: 1, ...after }];
    return judge(evidence({ attempts, changes: [change], webhooks, deliveries, receipts, accepted }));
  };

  test.each([
    ['sff', become(2)],
    ['ffs', become(0)],
    ['f'.repeat(9), become(9)],
    [`${'f'.repeat(10)}s`, become(10, false)],
    ['fg', become(2, false)],
  ])('agrees that %s leads to what it must', (letters, after) => {
    expect(judgeFold(attemptsOf(letters), after)).toMatchObject({
      problems: [],
      health: { checkedExactly: 1, checkedWithinTies: 0, otherThanFinishOrder: 0 },
    });
  });

  test.each([
    ['sff', become(1)],
    ['sff', become(3)],
    ['ffs', become(2)],
    ['f'.repeat(10), become(10)],
    ['f'.repeat(12), become(12, false)],
  ])('objects when %s leads to something else', (letters, after) => {
    expect(judgeFold(attemptsOf(letters), after).problems).toHaveLength(1);
  });

  test('accepts any order of what finished at one time, and nothing else', () => {
    const tied = attemptsOf('ffs', 1);
    for (const count of [0, 1, 2]) {
      expect(judgeFold(tied, become(count))).toMatchObject({
        problems: [],
        health: { checkedWithinTies: 1 },
      });
    }
    expect(judgeFold(tied, become(3)).problems).toHaveLength(1);
  });

  test('objects to a count that no attempt explains, and to attempts that never counted', () => {
    expect(
      judgeFold(
        attemptsOf('s').map((each) => ({ ...each, transaction: 'b' })),
        become(1),
      ).problems,
    ).toEqual([expect.stringContaining('without an attempt')]);
    expect(problemsOf({ attempts: [attempt({ verdict: 'FAILED' })] })).toEqual([
      expect.stringContaining('recorded without it'),
    ]);
  });

  test('wants the count to be 0 after the webhook was enabled', () => {
    const off = { active: false, generation: 1, consecutiveFailures: 10 };
    const change = { webhookId: 1, sequence: 2, transaction: 'c', at: START, before: off };
    const first = { webhookId: 1, sequence: 1, transaction: 'a', at: START, before: healthy, after: off };
    const failing = attemptsOf('f'.repeat(10));
    const judgeEnabled = (after: HealthState) =>
      problemsOf({
        attempts: failing,
        deliveries: failing.map(({ deliveryId }) => delivery({ id: deliveryId })),
        receipts: failing.map(({ deliveryId }) => receipt({ deliveryId })),
        accepted: [{ key: 'k', eventId: 1, deliveryCount: 10 }],
        changes: [first, { ...change, after }],
        webhooks: [{ id: 1, ...after }],
      });
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
