import { matches } from '../../src/domain/events/event-type.js';
import { dateToId } from '../../src/domain/ids/delivery-id.js';
import { judge, type Outcome, type SendResult } from '../../src/domain/outcome.js';
import { retryInMsOf } from '../../src/domain/retry-policy.js';
import type { Answer } from './answers.js';
import { pickType } from './catalogue.js';
import type { Chance } from './chance.js';
import type { SeededEndpoint } from './endpoints.js';

export const HOUR_MS = 3_600_000;
const DELAYS_SECONDS = [120, 240, 480, 960, 1920];
const DISABLE_AT_FAILURES = 10;

export interface PastEvent {
  id: number;
  at: number;
  type: string;
  body: string;
}

export interface PastAttempt {
  number: number;
  startedAt: number;
  answer: Answer;
  outcome: Outcome;
}

export interface PastDelivery {
  id: number;
  event: PastEvent;
  status: 'PENDING' | 'HELD' | 'SUCCEEDED' | 'FAILED';
  dueAt: number;
  finishedAt: number | null;
  attempts: PastAttempt[];
}

/** The endpoint's health after these deliveries. */
export interface Health {
  consecutiveFailures: number;
  failingSince: number | null;
  lastSuccessAt: number | null;
  lastFailureAt: number | null;
  closedUntil: number | null;
  disabledAt: number | null;
  disabledReason: 'PAUSED' | 'FAILURES' | 'GONE' | null;
}

/**
 * How busy a moment is, 1 on average: now is the afternoon of a weekday, so pictures look the same whenever they are made.
 */
export function busyness(msAgo: number): number {
  const hoursAgo = msAgo / HOUR_MS;
  const ofDay = 1 + 0.8 * Math.cos(((hoursAgo - 1) / 24) * 2 * Math.PI);
  const isWeekend = [3, 4].includes(Math.floor((hoursAgo + 9) / 24) % 7);
  return ofDay * (isWeekend ? 0.55 : 1.18);
}

/** The events that a tenant has emitted in these last hours, oldest first. */
export function pastEvents(chance: Chance, now: number, hours: number, perDay: number): PastEvent[] {
  const events: PastEvent[] = [];
  for (let minutesAgo = hours * 60; minutesAgo >= 1; minutesAgo--) {
    const from = now - minutesAgo * 60_000;
    for (let left = chance.count((perDay / 1440) * busyness(now - from)); left > 0; left--) {
      const at = from + chance.whole(0, 59_000);
      const { name, payload } = pickType(chance);
      events.push({ id: idAt(at), at, type: name, body: JSON.stringify(payload(chance, new Date(at))) });
    }
  }
  return events.sort((a, b) => a.id - b.id);
}

let made = 0;
const idAt = (at: number) => dateToId(new Date(at)) + (made++ & 4095);

/**
 * Delivers events to an endpoint as the daemon would have: with retries, closings, and what disables a webhook.
 *
 * @returns the deliveries as they stand now, and the endpoint's health
 */
export function pastDeliveries(
  chance: Chance,
  now: number,
  endpoint: SeededEndpoint,
  events: readonly PastEvent[],
): { deliveries: PastDelivery[]; health: Health } {
  const health: Health = {
    consecutiveFailures: 0,
    failingSince: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    closedUntil: null,
    disabledAt: null,
    disabledReason: null,
  };
  const created = now - endpoint.createdDaysAgo * 24 * HOUR_MS;
  const pausedAt = endpoint.pausedHoursAgo === undefined ? null : now - endpoint.pausedHoursAgo * HOUR_MS;
  const deliveries = events
    .filter(({ at, type }) => at > created && matches(endpoint.eventTypes, type))
    .map((event): PastDelivery => {
      const at = event.at + chance.whole(3, 40);
      return { id: idAt(event.at), event, status: 'PENDING', dueAt: at, finishedAt: null, attempts: [] };
    });
  const waiting = [...deliveries];
  for (;;) {
    waiting.sort((a, b) => a.dueAt - b.dueAt);
    const next = waiting.shift();
    if (next === undefined || next.dueAt > now) {
      break;
    }
    if (pausedAt !== null && health.disabledAt === null && next.dueAt >= pausedAt) {
      Object.assign(health, { disabledAt: pausedAt, disabledReason: 'PAUSED' });
    }
    if (health.disabledAt !== null) {
      next.status = 'HELD';
      continue;
    }
    if (health.closedUntil !== null && health.closedUntil > next.dueAt) {
      next.dueAt = health.closedUntil + chance.whole(0, 4_000);
    } else {
      attempt(chance, now, endpoint, next, health);
    }
    if (next.status === 'PENDING') {
      waiting.push(next);
    }
  }
  if (health.disabledAt !== null) {
    for (const delivery of deliveries.filter(({ status }) => status === 'PENDING')) {
      delivery.status = 'HELD';
    }
  }
  return { deliveries, health };
}

function attempt(chance: Chance, now: number, endpoint: SeededEndpoint, delivery: PastDelivery, health: Health): void {
  const startedAt = delivery.dueAt;
  const answer = endpoint.behaves(chance, (now - startedAt) / HOUR_MS);
  const finishedAt = startedAt + answer.latencyMs;
  const outcome = judge(resultOf(answer), new Date(finishedAt));
  delivery.attempts.push({ number: delivery.attempts.length + 1, startedAt, answer, outcome });
  if (outcome.verdict === 'SUCCEEDED') {
    Object.assign(delivery, { status: 'SUCCEEDED', finishedAt });
    Object.assign(health, { consecutiveFailures: 0, failingSince: null, lastSuccessAt: finishedAt });
    return;
  }
  health.consecutiveFailures += 1;
  health.failingSince ??= finishedAt;
  health.lastFailureAt = finishedAt;
  const retryInMs = retryInMsOf(DELAYS_SECONDS, delivery.attempts.length, outcome);
  if (retryInMs === null) {
    Object.assign(delivery, { status: 'FAILED', finishedAt });
  } else {
    delivery.dueAt = finishedAt + retryInMs;
  }
  if (outcome.verdict === 'FAILED' && typeof outcome.closing === 'number') {
    health.closedUntil = finishedAt + outcome.closing;
  }
  if (outcome.verdict === 'GONE' || health.consecutiveFailures >= DISABLE_AT_FAILURES) {
    health.disabledAt = finishedAt;
    health.disabledReason = outcome.verdict === 'GONE' ? 'GONE' : 'FAILURES';
  }
}

function resultOf(answer: Answer): SendResult {
  const { latencyMs: durationMs } = answer;
  return answer.kind === 'error'
    ? { kind: 'error', code: answer.code, durationMs }
    : {
        kind: 'response',
        statusCode: answer.status,
        headers: answer.headers,
        retryAfter: answer.headers['retry-after'],
        body: Buffer.from(answer.body),
        bodyTruncated: false,
        durationMs,
      };
}
