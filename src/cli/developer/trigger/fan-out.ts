import { setTimeout as delay } from 'node:timers/promises';
import { ask, RefusedError } from '../connection/ask.js';
import type { Connection } from '../connection/connection.js';

interface Delivery {
  status: 'PENDING' | 'WAITING' | 'HELD' | 'SUCCEEDED' | 'FAILED' | 'CANCELED';
  attemptCount: number;
  lastStatusCode: number | null;
  lastErrorCode: string | null;
  nextAttemptAt: string | null;
}

interface Entry {
  webhookId: string;
  webhook: { url: string; disabledReason: string | null } | null;
  delivery: Delivery | null;
  reason: string | null;
}

const DELIVERY = 'status attemptCount lastStatusCode lastErrorCode nextAttemptAt';
const FAN_OUT = `query ($id: ID!) { event(id: $id) { fanOut(first: 100) {
  edges { node { webhookId webhook { url disabledReason } reason delivery { ${DELIVERY} } } } pageInfo { hasNextPage }
} } }`;
const ONE = `query ($id: ID!) { delivery(id: $id) { webhookId webhook { url disabledReason } ${DELIVERY} } }`;

const POLL_MS = 100;

const REASONS: Readonly<Record<string, string>> = {
  NOT_SUBSCRIBED: 'is not subscribed to it',
  FILTERED: 'has a filter that the event does not meet',
  INACTIVE: 'has been inactive for longer than deliveries are held',
  FOR_ANOTHER_WEBHOOK: 'the event was for another webhook alone',
  CREATED_LATER: 'was made after the event',
  ABOUT_THIS_WEBHOOK: 'the event is about this webhook itself',
};

/** The outcome of an event: a line for each webhook, once the first attempts are over or `waitSeconds` have passed. */
export async function fanOutOf(connection: Connection, eventId: string, waitSeconds: number): Promise<string[]> {
  type Answer = { event: { fanOut: { edges: { node: Entry }[]; pageInfo: { hasNextPage: boolean } } } };
  let hasMore = false;
  const entries = await settled(waitSeconds, async () => {
    const { fanOut } = (await ask<Answer>(connection, FAN_OUT, { id: eventId })).event;
    hasMore = fanOut.pageInfo.hasNextPage;
    return fanOut.edges.map(({ node }) => node);
  });
  if (entries.length === 0) {
    return ['There is no webhook yet, so nobody gets it.'];
  }
  const reached = entries.filter(({ delivery }) => delivery !== null);
  const others = entries.filter(({ delivery }) => delivery === null);
  const rest = hasMore ? ['… and older webhooks, which the dashboard shows'] : [];
  return [...table([...reached, ...others]), ...rest];
}

/** The outcome of a test of one webhook. */
export async function deliveryOf(connection: Connection, id: string, waitSeconds: number): Promise<string[]> {
  type Answer = { delivery: Omit<Entry, 'delivery' | 'reason'> & Delivery };
  const entries = await settled(waitSeconds, async () => {
    const { webhookId, webhook, ...delivery } = (await ask<Answer>(connection, ONE, { id })).delivery;
    return [{ webhookId, webhook, delivery, reason: null }];
  });
  return table(entries);
}

/** @returns nothing for a key that may emit, but not see what became of it */
export async function ifAllowed(lines: Promise<string[]>): Promise<string[]> {
  return lines.catch((error: unknown) => {
    if (error instanceof RefusedError && error.code === 'FORBIDDEN') {
      return [`The outcome is not shown: ${error.message}`];
    }
    throw error;
  });
}

async function settled(waitSeconds: number, read: () => Promise<Entry[]>): Promise<Entry[]> {
  const until = performance.now() + waitSeconds * 1_000;
  for (;;) {
    const entries = await read();
    const isOpen = entries.some(({ delivery }) => delivery?.status === 'PENDING' && delivery.attemptCount === 0);
    if (!isOpen || performance.now() > until) {
      return entries;
    }
    await delay(POLL_MS);
  }
}

function table(entries: readonly Entry[]): string[] {
  const rows = entries.map(({ webhookId, webhook, delivery, reason }) => [
    delivery === null ? '–' : MARKS[delivery.status],
    webhookId,
    webhook?.url ?? '(deleted)',
    delivery === null
      ? (REASONS[reason ?? ''] ?? 'no delivery was found')
      : outcomeOf(delivery, webhook?.disabledReason === 'UNVERIFIED'),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
}

const MARKS = { SUCCEEDED: '✓', PENDING: '…', WAITING: '…', HELD: '…', FAILED: '✗', CANCELED: '✗' } as const;

function outcomeOf({ status, attemptCount, nextAttemptAt, ...last }: Delivery, isUnverified: boolean): string {
  const answer = last.lastStatusCode ?? last.lastErrorCode;
  switch (status) {
    case 'SUCCEEDED':
      return `answered ${answer}`;
    case 'FAILED':
      return `failed for good: ${answer}`;
    case 'WAITING':
      return 'waits for an earlier delivery of its ordering key';
    case 'HELD':
      return isUnverified ? 'held until the endpoint is verified' : 'held, because the webhook is inactive';
    case 'CANCELED':
      return 'canceled';
    case 'PENDING':
      return attemptCount > 0
        ? `failed: ${answer}; next attempt ${inSeconds(nextAttemptAt)}`
        : 'not sent yet: is a daemon running, and does the endpoint answer?';
  }
}

function inSeconds(time: string | null): string {
  const seconds = Math.round((Date.parse(time ?? '') - Date.now()) / 1_000);
  return seconds > 0 ? `in ${seconds} s` : 'now';
}
