import { describe, expect, it } from 'vitest';
import { answerOf, type EndpointFacts, toneOf } from '../../dashboard/screens/endpoints/answer/endpoint-answer.js';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const before = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();
const after = (seconds: number) => before(-seconds);

const unused: EndpointFacts = {
  active: true,
  consecutiveFailures: 0,
  heldCount: 0,
  errorCode: null,
  nextAttemptAt: null,
};
const healthy: EndpointFacts = { ...unused, lastSuccessAt: before(5) };
const answer = (facts: Partial<EndpointFacts>) => answerOf({ ...healthy, ...facts }, NOW);

describe('the answer of an endpoint', () => {
  it('is that nothing has been sent yet', () => {
    expect(answerOf(unused, NOW)).toEqual({ kind: 'unused' });
  });

  it('is that its first delivery is under way', () => {
    const backlog = { due: 1, scheduled: 0, oldestDueAt: before(1) };
    expect(answerOf({ ...unused, backlog }, NOW)).toEqual({ kind: 'first', open: 1 });
  });

  it('is that it is healthy, and when an attempt last failed', () => {
    expect(answer({})).toEqual({ kind: 'healthy', lastSuccessAt: before(5), lastFailureAt: null });
    expect(answer({ lastFailureAt: before(9_000) })).toMatchObject({ lastFailureAt: before(9_000) });
  });

  it('is that it fails: since when, why, and when the next attempt is', () => {
    expect(
      answer({
        consecutiveFailures: 4,
        errorCode: 'TLS_CERTIFICATE_EXPIRED',
        nextAttemptAt: after(240),
        backlog: { due: 2, scheduled: 3 },
      }),
    ).toEqual({
      kind: 'failing',
      failures: 4,
      since: before(5),
      errorCode: 'TLS_CERTIFICATE_EXPIRED',
      nextAttemptAt: after(240),
      open: 5,
    });
  });

  it('is that it never had a success, where it has failed from its first attempt on', () => {
    expect(answerOf({ ...unused, consecutiveFailures: 1 }, NOW)).toMatchObject({ since: null });
  });

  it('is that its latest attempt has failed, and not that it works, where it was enabled since', () => {
    const failedLast = {
      lastSuccessAt: before(600),
      lastFailureAt: before(60),
      errorCode: 'TIMEOUT',
      lastDay: [{ attempts: 15, failures: 10 }],
    };
    const untried = { kind: 'untried', lastFailureAt: before(60), errorCode: 'TIMEOUT' };
    expect(answer(failedLast)).toEqual(untried);
    expect(answer({ ...failedLast, lastSuccessAt: null })).toEqual(untried);
    expect(answer({ ...failedLast, lastSuccessAt: before(30) }).kind).toBe('flaky');
  });

  it('is that it was disabled by its failures, and what is held until when', () => {
    const facts: Partial<EndpointFacts> = {
      active: false,
      disabledReason: 'FAILURES',
      disabledAt: before(60),
      holdUntil: after(3_600),
      consecutiveFailures: 10,
      heldCount: 312,
      errorCode: 'HTTP_500',
    };
    expect(answer(facts)).toEqual({
      kind: 'disabled',
      since: before(60),
      errorCode: 'HTTP_500',
      failures: 10,
      hold: { held: 312, until: after(3_600), over: false },
    });
  });

  it('is that its endpoint is gone, or that somebody has paused it', () => {
    expect(answer({ active: false, disabledReason: 'GONE' }).kind).toBe('gone');
    expect(answer({ active: false, disabledReason: 'PAUSED' }).kind).toBe('paused');
  });

  it('is that it is not verified, why, and when it is asked again', () => {
    const facts: Partial<EndpointFacts> = {
      active: false,
      disabledReason: 'UNVERIFIED',
      holdUntil: after(3_600),
      heldCount: 2,
    };
    const hold = { held: 2, until: after(3_600), over: false };
    const verification = { challengeCode: 'HTTP_404', nextAt: after(300) };
    expect(answer({ ...facts, verification })).toEqual({
      kind: 'unverified',
      code: 'HTTP_404',
      askedAgainAt: after(300),
      hold,
    });
    expect(answer(facts)).toEqual({ kind: 'unverified', code: null, askedAgainAt: null, hold });
  });

  it('is that nothing is held any more, from the end of the hold on', () => {
    const paused: Partial<EndpointFacts> = { active: false, disabledReason: 'PAUSED' };
    expect(answer({ ...paused, holdUntil: after(1) })).toMatchObject({ hold: { over: false } });
    expect(answer({ ...paused, holdUntil: before(0) })).toMatchObject({ hold: { over: true } });
  });

  it('is that it asked for a pause, until that is over', () => {
    const facts = { closedUntil: after(1), consecutiveFailures: 1, errorCode: 'HTTP_429' };
    expect(answer(facts)).toEqual({ kind: 'closed', until: after(1), errorCode: 'HTTP_429', open: 0 });
    expect(answer({ ...facts, closedUntil: before(0) }).kind).toBe('failing');
  });

  it('is that it is slow, once the oldest delivery has been due for more than a minute', () => {
    const endpointState = { window: 4, waiting: 90, meanMs: 2_300 };
    const since = (seconds: number) =>
      answer({ backlog: { due: 94, scheduled: 0, oldestDueAt: before(seconds) }, endpointState });
    expect(since(60).kind).toBe('healthy');
    expect(since(61)).toEqual({ kind: 'slow', due: 94, since: before(61), meanMs: 2_300, window: 4 });
  });

  it('is that a certificate ends within 14 days, or has ended, while it works', () => {
    const days = (count: number) => after(count * 86_400);
    const having = (tls: object, more: Partial<EndpointFacts> = {}) => answer({ delivery: { tls }, ...more });
    const client = { clientCertificate: { endsAt: days(10) }, ca: { endsAt: days(400) } };
    expect(having(client)).toEqual({ kind: 'ending', certificate: 'CLIENT', endsAt: days(10), isOver: false });
    expect(toneOf(having(client))).toBe('warn');
    const authority = { clientCertificate: { endsAt: days(10) }, ca: { endsAt: days(-1) } };
    expect(having(authority)).toEqual({ kind: 'ending', certificate: 'CA', endsAt: days(-1), isOver: true });
    expect(having({ clientCertificate: { endsAt: days(15) } }).kind).toBe('healthy');
    expect(having(client, { lastSuccessAt: null }).kind).toBe('ending');
    expect(having(client, { consecutiveFailures: 1 }).kind).toBe('failing');
  });

  it('is that it is behind because of its rate, unless the endpoint itself takes less', () => {
    const backlog = { due: 3_600, scheduled: 0, oldestDueAt: before(720) };
    const at = (ratePerSecond: number | null, meanMs: number | null) =>
      answer({ backlog, endpointState: { window: 4, waiting: 0, meanMs }, delivery: { ratePerSecond } });
    expect(at(5, 100)).toEqual({ kind: 'behind', due: 3_600, behindMs: 720_000, ratePerSecond: 5 });
    expect(at(5, null).kind).toBe('behind');
    expect(at(5, 1_000).kind).toBe('slow');
    expect(at(null, 100).kind).toBe('slow');
    expect(toneOf(at(5, 100))).toBe('warn');
  });

  it('is that the operator limits the tenant, unless the endpoint or its own rate allows less', () => {
    const backlog = { due: 3_600, scheduled: 0, oldestDueAt: before(720) };
    const at = (tenantLimits: object, delivery = {}, meanMs: number | null = 100) =>
      answer({ backlog, endpointState: { window: 64, waiting: 0, meanMs }, delivery, tenantLimits });
    expect(at({ requestsPerSecond: 5 })).toEqual({ kind: 'limited', due: 3_600, since: before(720) });
    expect(at({ requestsPerSecond: 5 }, {}, null).kind).toBe('limited');
    expect(at({ requestsPerSecond: 5 }, { ratePerSecond: 2 }).kind).toBe('behind');
    expect(at({ requestsPerSecond: 5 }, {}, 20_000).kind).toBe('slow');
    expect(at({ requestsAtOnce: 2 }).kind).toBe('limited');
    expect(at({ requestsPerSecond: null, requestsAtOnce: null }).kind).toBe('slow');
    expect(toneOf(at({ requestsPerSecond: 5 }))).toBe('warn');
  });

  it('is that some attempts fail, where more than one in a hundred has in the last 24 hours', () => {
    const day = (failures: number) =>
      answer({
        lastDay: [
          { attempts: 150, failures },
          { attempts: 50, failures: 1 },
        ],
        lastFailureAt: before(30),
        errorCode: 'HTTP_500',
      });
    expect(day(1).kind).toBe('healthy');
    expect(day(2)).toEqual({
      kind: 'flaky',
      attempts: 200,
      failures: 3,
      lastFailureAt: before(30),
      errorCode: 'HTTP_500',
    });
  });

  it('is red for what was disabled, yellow for what fails in a row, and grey for a pause', () => {
    const tone = (facts: Partial<EndpointFacts>) => toneOf(answer(facts));
    expect(tone({ active: false, disabledReason: 'FAILURES' })).toBe('bad');
    expect(tone({ consecutiveFailures: 3 })).toBe('warn');
    expect(tone({ consecutiveFailures: 2 })).toBe('info');
    expect(tone({ active: false, disabledReason: 'PAUSED' })).toBe('calm');
    expect(tone({ closedUntil: after(5), consecutiveFailures: 3 })).toBe('calm');
    expect(tone({ lastDay: [{ attempts: 100, failures: 5 }] })).toBe('warn');
    expect(tone({ lastDay: [{ attempts: 100, failures: 4 }] })).toBe('info');
  });

  it('is that an active endpoint keeps what it holds, until that is released', () => {
    expect(answer({ heldCount: 7 })).toEqual({ kind: 'keeping', held: 7 });
  });
});
