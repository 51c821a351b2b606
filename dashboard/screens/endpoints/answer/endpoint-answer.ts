import { FAILING_FROM_FAILURES } from '../../../../src/domain/deliveries/health-limits.js';
import { endingCertificates } from '../../../../src/domain/notices/certificate-ends.js';
import { MANY_FAILED } from '../../../parts/many-failed.js';

interface TlsFacts {
  ca?: { endsAt: string } | null;
  clientCertificate?: { endsAt: string } | null;
}

/** The fields that the answer sentence of an endpoint is made from. Times are ISO 8601. */
export interface EndpointFacts {
  active: boolean;
  disabledReason?: 'FAILURES' | 'GONE' | 'PAUSED' | 'UNVERIFIED' | null;
  disabledAt?: string | null;
  holdUntil?: string | null;
  closedUntil?: string | null;
  consecutiveFailures: number;
  /** Counted up to 1,000. */
  heldCount: number;
  lastSuccessAt?: string | null;
  lastFailureAt?: string | null;
  backlog?: { due: number; scheduled: number; oldestDueAt?: string | null } | null;
  /** Attempts of the last 24 hours, in parts. */
  lastDay?: readonly { attempts: number; failures: number }[] | null;
  endpointState?: { window: number; waiting: number; meanMs?: number | null } | null;
  delivery?: { ratePerSecond?: number | null; tls?: TlsFacts | null } | null;
  /** The operator's limits for all endpoints of the tenant together. */
  tenantLimits?: { requestsPerSecond?: number | null; requestsAtOnce?: number | null } | undefined;
  verification?: { challengeCode?: string | null; nextAt?: string | null } | null;
  /** Why the latest of its deliveries that has failed did so; null where none is known. */
  errorCode: string | null;
  /** When the next delivery is to be tried again; null where none is planned. */
  nextAttemptAt: string | null;
}

/** Held deliveries of an inactive endpoint. `over`: they are canceled, and further events get no delivery. */
export interface Hold {
  held: number;
  until: string | null;
  over: boolean;
}

/** How an endpoint is, why, and what comes next: the screen says it in words. */
export type EndpointAnswer =
  | { kind: 'disabled'; since: string | null; errorCode: string | null; failures: number; hold: Hold }
  | { kind: 'gone'; since: string | null; hold: Hold }
  | { kind: 'paused'; since: string | null; hold: Hold }
  /** It has not proved that it wants its deliveries. `askedAgainAt`: null where it is not asked by itself any more. */
  | { kind: 'unverified'; code: string | null; askedAgainAt: string | null; hold: Hold }
  | { kind: 'closed'; until: string; errorCode: string | null; open: number }
  | {
      kind: 'failing';
      failures: number;
      /** The last success; null if there never was one. */
      since: string | null;
      errorCode: string | null;
      nextAttemptAt: string | null;
      open: number;
    }
  | { kind: 'slow'; due: number; since: string; meanMs: number | null; window: number | null }
  | { kind: 'behind'; due: number; behindMs: number; ratePerSecond: number }
  /** The operator has limited the tenant, and the endpoint could take more. */
  | { kind: 'limited'; due: number; since: string }
  | { kind: 'keeping'; held: number }
  | { kind: 'first'; open: number }
  | { kind: 'unused' }
  | { kind: 'untried'; lastFailureAt: string; errorCode: string | null }
  | {
      kind: 'flaky';
      attempts: number;
      failures: number;
      lastFailureAt: string | null;
      errorCode: string | null;
    }
  /** It works, and a certificate of it ends within days, or has ended. */
  | { kind: 'ending'; certificate: 'CLIENT' | 'CA'; endsAt: string; isOver: boolean }
  | { kind: 'healthy'; lastSuccessAt: string; lastFailureAt: string | null };

/** How long the oldest delivery may be due before the endpoint counts as slow: a queue that empties is not news. */
const SLOW_AFTER_MS = 60_000;

/** From which part of successes on an endpoint counts as healthy. */
const GOOD_RATE = 0.99;

/**
 * The one thing to know about an endpoint now: what stops deliveries comes before what delays them, and that before
 * how it has been.
 *
 * @param now ms since 1970.
 */
export function answerOf(facts: EndpointFacts, now: number): EndpointAnswer {
  const { errorCode, lastSuccessAt = null, lastFailureAt = null, backlog } = facts;
  const isLater = (time: string | null | undefined): time is string => time != null && Date.parse(time) > now;
  const open = (backlog?.due ?? 0) + (backlog?.scheduled ?? 0);
  if (!facts.active) {
    const since = facts.disabledAt ?? null;
    const until = facts.holdUntil ?? null;
    const hold = { held: facts.heldCount, until, over: until !== null && !isLater(until) };
    switch (facts.disabledReason) {
      case 'GONE':
        return { kind: 'gone', since, hold };
      case 'PAUSED':
        return { kind: 'paused', since, hold };
      case 'UNVERIFIED': {
        const { challengeCode: code = null, nextAt = null } = facts.verification ?? {};
        return { kind: 'unverified', code, askedAgainAt: nextAt, hold };
      }
      default:
        return { kind: 'disabled', since, errorCode, failures: facts.consecutiveFailures, hold };
    }
  }
  if (isLater(facts.closedUntil)) {
    return { kind: 'closed', until: facts.closedUntil, errorCode, open };
  }
  if (facts.consecutiveFailures > 0) {
    const { consecutiveFailures: failures, nextAttemptAt } = facts;
    return { kind: 'failing', failures, since: lastSuccessAt, errorCode, nextAttemptAt, open };
  }
  const oldest = backlog?.oldestDueAt;
  if (oldest != null && now - Date.parse(oldest) > SLOW_AFTER_MS) {
    return delayOf(facts, oldest, now);
  }
  if (facts.heldCount > 0) {
    return { kind: 'keeping', held: facts.heldCount };
  }
  // Enabling an endpoint, and changing its url, set its failures in a row to 0: that is not a sign that it works.
  if (lastFailureAt !== null && (lastSuccessAt === null || Date.parse(lastFailureAt) > Date.parse(lastSuccessAt))) {
    return { kind: 'untried', lastFailureAt, errorCode };
  }
  const ending = endingCertificate(facts.delivery?.tls, now);
  if (ending !== null) {
    return { kind: 'ending', ...ending };
  }
  const attempts = sumOf(facts.lastDay?.map((part) => part.attempts));
  const failed = sumOf(facts.lastDay?.map((part) => part.failures));
  if (failed > attempts * (1 - GOOD_RATE)) {
    return { kind: 'flaky', attempts, failures: failed, lastFailureAt, errorCode };
  }
  if (lastSuccessAt !== null) {
    return { kind: 'healthy', lastSuccessAt, lastFailureAt };
  }
  return open > 0 ? { kind: 'first', open } : { kind: 'unused' };
}

/** Why the oldest delivery waits: for the tenant's limits, the endpoint's own rate, or the endpoint itself. */
function delayOf(
  { backlog, endpointState, delivery, tenantLimits }: EndpointFacts,
  oldest: string,
  now: number,
): EndpointAnswer {
  const { meanMs = null, window = null } = endpointState ?? {};
  const due = backlog?.due ?? 0;
  const ratePerSecond = delivery?.ratePerSecond ?? Number.POSITIVE_INFINITY;
  // The endpoint itself takes no more than this.
  const perSecond = meanMs === null || window === null ? Number.POSITIVE_INFINITY : (1_000 * window) / meanMs;
  const ofTenant = tenantLimits?.requestsPerSecond ?? Number.POSITIVE_INFINITY;
  const atOnce = tenantLimits?.requestsAtOnce ?? Number.POSITIVE_INFINITY;
  if (ofTenant < Math.min(ratePerSecond, perSecond) || (atOnce < (window ?? 1) && perSecond < ratePerSecond)) {
    return { kind: 'limited', due, since: oldest };
  }
  return Number.isFinite(ratePerSecond) && perSecond >= ratePerSecond
    ? { kind: 'behind', due, behindMs: now - Date.parse(oldest), ratePerSecond }
    : { kind: 'slow', due, since: oldest, meanMs, window };
}

/** The certificate that ends first, if it ends soon or has ended. */
function endingCertificate(tls: TlsFacts | null | undefined, now: number) {
  const { clientCertificate: client = null, ca = null } = tls ?? {};
  const [first] = endingCertificates({ client, ca }, new Date(now)).toSorted(
    (a, b) => Date.parse(a.endsAt) - Date.parse(b.endsAt),
  );
  return first === undefined ? null : { certificate: first.certificate, endsAt: first.endsAt, isOver: first.hasEnded };
}

const TONES = {
  disabled: 'bad',
  gone: 'bad',
  failing: 'warn',
  slow: 'warn',
  behind: 'warn',
  limited: 'warn',
  flaky: 'warn',
  closed: 'calm',
  untried: 'info',
  keeping: 'calm',
  paused: 'calm',
  unverified: 'warn',
  first: 'info',
  unused: 'info',
  ending: 'warn',
  healthy: 'good',
} as const;

/** The colour of an answer: red and yellow as on the overview, grey for a pause that somebody made or asked for. */
export function toneOf(answer: EndpointAnswer): (typeof TONES)[EndpointAnswer['kind']] {
  const isSmall =
    (answer.kind === 'failing' && answer.failures < FAILING_FROM_FAILURES) ||
    // Nothing has been answered since it was enabled, or a daemon began.
    (answer.kind === 'slow' && answer.meanMs === null) ||
    (answer.kind === 'flaky' && answer.failures < answer.attempts * MANY_FAILED);
  return isSmall ? 'info' : TONES[answer.kind];
}

function sumOf(values: readonly number[] = []): number {
  return values.reduce((sum, value) => sum + value, 0);
}
