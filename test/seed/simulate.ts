import { FilteredEvent } from '../../src/domain/content/judge-filter.js';
import { judge, type Outcome, type SendResult } from '../../src/domain/deliveries/outcome.js';
import { retryInMsOf } from '../../src/domain/deliveries/retry-policy.js';
import { matches } from '../../src/domain/events/event-type.js';
import { dateToId } from '../../src/domain/ids/delivery-id.js';
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
  /** Null: it is in no order. */
  key: string | null;
  status: 'PENDING' | 'WAITING' | 'HELD' | 'SUCCEEDED' | 'FAILED';
  dueAt: number;
  /** When it is sent: when it is due, or when the pause of its endpoint ends. */
  sentAt: number;
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

const untried: Health = {
  consecutiveFailures: 0,
  failingSince: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  closedUntil: null,
  disabledAt: null,
  disabledReason: null,
};

/**
 * Delivers events to an endpoint as the daemon would have: with its filter and order, retries, closings, and what
 * disables a webhook.
 *
 * @returns the deliveries as they stand now, those of them that are in the queues of their keys, and the endpoint's
 *   health
 */
export function pastDeliveries(
  chance: Chance,
  now: number,
  endpoint: SeededEndpoint,
  events: readonly PastEvent[],
): { deliveries: PastDelivery[]; queued: PastDelivery[]; health: Health } {
  const health: Health = { ...untried };
  const created = now - endpoint.createdDaysAgo * 24 * HOUR_MS;
  const pausedAt = endpoint.pausedHoursAgo === undefined ? null : now - endpoint.pausedHoursAgo * HOUR_MS;
  const deliveries = events
    .filter((event) => event.at > created && isWanted(endpoint, event))
    .map((event): PastDelivery => {
      const dueAt = event.at + chance.whole(3, 40);
      const key = keyOf(endpoint, event);
      const id = idAt(event.at);
      return { id, event, key, status: 'PENDING', dueAt, sentAt: dueAt, finishedAt: null, attempts: [] };
    });
  const waiting = deliveries.toSorted((a, b) => a.sentAt - b.sentAt);
  const queues = new Queues(endpoint.settings?.onFailure === 'BLOCK');
  for (;;) {
    const next = waiting.shift();
    if (next === undefined || next.sentAt > now) {
      break;
    }
    if (pausedAt !== null && health.disabledAt === null && next.sentAt >= pausedAt) {
      Object.assign(health, { disabledAt: pausedAt, disabledReason: 'PAUSED' });
    }
    if (!queues.hasTurn(next)) {
      next.status = 'WAITING';
      continue;
    }
    if (health.disabledAt !== null) {
      next.status = 'HELD';
      continue;
    }
    if (health.closedUntil !== null && health.closedUntil > next.sentAt) {
      next.sentAt = health.closedUntil + chance.whole(0, 4_000);
    } else {
      attempt(chance, now, endpoint, next, health);
    }
    if (next.status === 'PENDING') {
      insert(waiting, next);
    } else {
      for (const follower of queues.endTurn(next)) {
        insert(waiting, follower);
      }
    }
  }
  if (health.disabledAt !== null) {
    for (const delivery of deliveries.filter(({ status }) => status === 'PENDING')) {
      delivery.status = 'HELD';
    }
  }
  return { deliveries, queued: queues.all(), health };
}

/** Keeps the order of times: most are due soon again. */
function insert(waiting: PastDelivery[], delivery: PastDelivery): void {
  const later = waiting.findIndex(({ sentAt }) => sentAt > delivery.sentAt);
  waiting.splice(later === -1 ? waiting.length : later, 0, delivery);
}

const isWanted = ({ eventTypes, settings }: SeededEndpoint, { type, body }: PastEvent): boolean =>
  matches(eventTypes, type) &&
  (settings?.filter == null || new FilteredEvent(type, body).failedCondition(settings.filter) === null);

const KEY_CHARS_MAX = 255;

function keyOf({ settings }: SeededEndpoint, { body }: PastEvent): string | null {
  const value: unknown = settings?.keyPath == null ? null : JSON.parse(body)[settings.keyPath];
  return typeof value === 'string' && value.length <= KEY_CHARS_MAX && !body.includes('\\u0000') ? value : null;
}

/** The queues of an endpoint's keys. */
class Queues {
  readonly #byKey = new Map<string, PastDelivery[]>();

  /** @param blocks a delivery that has failed keeps its turn */
  constructor(private readonly blocks: boolean) {}

  /** Adds a new one to its queue. */
  hasTurn(delivery: PastDelivery): boolean {
    if (delivery.key === null) {
      return true;
    }
    const queue = this.#byKey.get(delivery.key) ?? [];
    this.#byKey.set(delivery.key, queue);
    if (!queue.includes(delivery)) {
      queue.push(delivery);
    }
    return queue[0] === delivery;
  }

  /** @returns the next one, if there is one, which is due now */
  endTurn({ key, status, finishedAt }: PastDelivery): PastDelivery[] {
    if (key === null || (status === 'FAILED' && this.blocks)) {
      return [];
    }
    const queue = this.#byKey.get(key)!;
    queue.shift();
    return queue
      .slice(0, 1)
      .map((next) => Object.assign(next, { status: 'PENDING', dueAt: finishedAt, sentAt: finishedAt }));
  }

  all(): PastDelivery[] {
    return [...this.#byKey.values()].flat();
  }
}

function attempt(chance: Chance, now: number, endpoint: SeededEndpoint, delivery: PastDelivery, health: Health): void {
  const startedAt = delivery.sentAt;
  const answer = endpoint.behaves(chance, (now - startedAt) / HOUR_MS, delivery.event.body);
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
  const delays = endpoint.settings?.retryDelaysSeconds ?? DELAYS_SECONDS;
  const retryInMs = retryInMsOf(delays, delivery.attempts.length, outcome);
  if (retryInMs === null) {
    Object.assign(delivery, { status: 'FAILED', finishedAt });
  } else {
    delivery.dueAt = finishedAt + retryInMs;
    delivery.sentAt = delivery.dueAt;
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
