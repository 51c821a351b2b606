import { statusText } from '../../../text/status-codes.js';

/** The parts of a delivery that its answer is made from. */
export interface AnswerFields {
  status: 'PENDING' | 'SUCCEEDED' | 'FAILED' | 'WAITING' | 'HELD' | 'CANCELED';
  attemptCount: number;
  lastErrorCode?: string | null;
  nextAttemptAt?: string | null;
  cancelReason?: string | null;
  settlesUntil?: string | null;
  webhook?: {
    active: boolean;
    disabledReason?: string | null;
    closedUntil?: string | null;
  } | null;
}

/** The sentence about a delivery that a person looks for first. */
export type Answer =
  | { kind: 'delivered'; tries: number }
  /** It has failed for good. `gone`: the endpoint answered 410, so it was not tried again. */
  | { kind: 'failed'; code: string; tries: number; gone: boolean }
  /** It failed, and is tried again; at `next`, or at once where that has passed. `pause`: as of `waiting`. */
  | { kind: 'retrying'; code: string; tries: number; next: string | undefined; pause: string | undefined }
  /** The endpoint asked for a pause, which is not over. */
  | { kind: 'waiting'; until: string }
  /** It waits until its ordering key is quiet. */
  | { kind: 'settling'; until: string }
  /** No attempt was made so far. */
  | { kind: 'queued'; next: string | undefined }
  /** An earlier delivery of its ordering key has not ended. */
  | { kind: 'ordered' }
  /** `kept`: its endpoint is active, and keeps what it held until somebody releases it. */
  | { kind: 'held'; why: 'paused' | 'disabled' | 'unverified' | 'kept' }
  | { kind: 'canceled'; reason: string | undefined };

/** @param now in ms since 1970 */
export function answerOf(delivery: AnswerFields, now: number): Answer {
  const { status, attemptCount: tries, lastErrorCode, nextAttemptAt, webhook } = delivery;
  switch (status) {
    case 'SUCCEEDED':
      return { kind: 'delivered', tries };
    case 'FAILED': {
      const code = lastErrorCode ?? 'UNKNOWN';
      return { kind: 'failed', code, tries, gone: code === 'HTTP_410' };
    }
    case 'CANCELED':
      return { kind: 'canceled', reason: delivery.cancelReason ?? undefined };
    case 'WAITING':
      return { kind: 'ordered' };
    case 'HELD':
      return { kind: 'held', why: heldBecause(webhook) };
    case 'PENDING': {
      const next = nextAttemptAt != null && Date.parse(nextAttemptAt) > now ? nextAttemptAt : undefined;
      const closedUntil = webhook?.closedUntil;
      const pause = closedUntil != null && Date.parse(closedUntil) > now ? closedUntil : undefined;
      if (lastErrorCode != null) {
        return { kind: 'retrying', code: lastErrorCode, tries, next, pause };
      }
      if (pause !== undefined) {
        return { kind: 'waiting', until: pause };
      }
      const { settlesUntil } = delivery;
      return settlesUntil != null && Date.parse(settlesUntil) > now
        ? { kind: 'settling', until: settlesUntil }
        : { kind: 'queued', next };
    }
  }
}

function heldBecause(webhook: AnswerFields['webhook']): 'paused' | 'disabled' | 'unverified' | 'kept' {
  if (webhook?.active) {
    return 'kept';
  }
  switch (webhook?.disabledReason) {
    case 'PAUSED':
      return 'paused';
    case 'UNVERIFIED':
      return 'unverified';
    default:
      return 'disabled';
  }
}

/** The answer of an attempt as people know it, `410 Gone`; where a status is not the reason it failed, the error code. */
export function answerText({
  statusCode,
  errorCode,
}: {
  statusCode?: number | null;
  errorCode?: string | null;
}): string {
  return statusCode != null && (errorCode == null || errorCode === `HTTP_${statusCode}`)
    ? statusText(statusCode)
    : (errorCode ?? '–');
}

/** The times of an attempt, in ms. */
export interface Timed {
  durationMs: number;
  dnsMs?: number | null;
  connectMs?: number | null;
  tlsMs?: number | null;
  firstByteMs?: number | null;
}

export const PHASES = ['dns', 'connect', 'tls', 'firstByte', 'rest'] as const;

export interface Phase {
  name: (typeof PHASES)[number];
  startMs: number;
  ms: number;
}

/**
 * What an attempt spent its time on, one after the other. `rest` is what is left of it: the body of an answer, or, where
 * none came, the waiting until it failed.
 */
export function phasesOf({ durationMs, dnsMs, connectMs, tlsMs, firstByteMs }: Timed): Phase[] {
  const phases: Phase[] = [];
  let startMs = 0;
  for (const [name, ms] of [
    ['dns', dnsMs],
    ['connect', connectMs],
    ['tls', tlsMs],
    ['firstByte', firstByteMs],
  ] as const) {
    if (ms != null) {
      phases.push({ name, startMs, ms });
      startMs += ms;
    }
  }
  const rest = durationMs - startMs;
  return rest > 0 ? [...phases, { name: 'rest', startMs, ms: rest }] : phases;
}

/** Bytes in base64 as a hex dump, 16 on each line with their place and, where they are printable ASCII, their letters. */
export function hexDump(base64: string, bytesMax: number): string {
  const bytes = atob(base64.slice(0, Math.ceil(bytesMax / 3) * 4)).slice(0, bytesMax);
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = bytes.slice(at, at + 16);
    const hex = [...row].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${row.replaceAll(/[^ -~]/g, '.')}`);
  }
  return lines.join('\n');
}
