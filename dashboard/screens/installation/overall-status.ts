import { CLOSED_COUNTED, LATE_AFTER_MS } from '../../../src/domain/deliveries/health-limits.js';

/** The fields that the verdict on an installation is made from. Times in ISO 8601. */
export interface Facts {
  daemons: readonly { workerId: string; host: string; lastSeenAt: string }[];
  backlog: { due: number };
  /** Due deliveries that wait for a pause that their endpoints asked for, and the oldest one that does not wait for its endpoint. */
  closed: { due: number; webhooks: number; until?: string | null; oldestOtherDueAt?: string | null };
  jobsPutAside: number;
  findings: readonly Finding[];
}

export interface Finding {
  name: string;
  level: 'OK' | 'WARN' | 'FAIL';
  text: string;
}

/** Something that is not as it should be, and what its sentence needs. */
export type Problem =
  /** Nothing is delivered. `since`: when the last one was heard of. */
  | { kind: 'NO_DAEMON'; level: 'FAIL'; since: string | undefined }
  | { kind: 'SILENT_DAEMONS'; level: 'WARN'; hosts: readonly string[] }
  /** Deliveries wait longer than they should. */
  | { kind: 'LATE'; level: 'WARN'; oldestMs: number; due: number }
  | { kind: 'JOBS_ASIDE'; level: 'WARN'; jobs: number }
  /** In the words of the service, with what to do. */
  | { kind: 'FINDING'; level: 'WARN' | 'FAIL'; name: string; text: string };

/** Daemons say every 5 seconds that they live. */
const SILENT_AFTER_MS = 30_000;

/** Findings that a problem with a sentence of its own says already. */
const SAID_BY: Partial<Record<Problem['kind'], readonly string[]>> = {
  NO_DAEMON: ['daemons', 'reports'],
  LATE: ['backlog'],
  JOBS_ASIDE: ['quarantine'],
};

/**
 * What is wrong with an installation, the worst first; nothing when it is healthy.
 *
 * @param now in ms since 1970.
 */
export function problemsOf({ daemons, backlog, closed, jobsPutAside, findings }: Facts, now: number): Problem[] {
  const problems: Problem[] = [];
  const silent = daemons.filter(({ lastSeenAt }) => now - Date.parse(lastSeenAt) > SILENT_AFTER_MS);
  if (silent.length === daemons.length) {
    const since = daemons
      .map(({ lastSeenAt }) => lastSeenAt)
      .sort()
      .at(-1);
    problems.push({ kind: 'NO_DAEMON', level: 'FAIL', since });
  } else if (silent.length > 0) {
    problems.push({ kind: 'SILENT_DAEMONS', level: 'WARN', hosts: silent.map(({ host }) => host) });
  }
  const oldestMs = lagOf(closed, now);
  if (oldestMs > LATE_AFTER_MS) {
    problems.push({ kind: 'LATE', level: 'WARN', oldestMs, due: backlog.due - closed.due });
  }
  if (jobsPutAside > 0) {
    problems.push({ kind: 'JOBS_ASIDE', level: 'WARN', jobs: jobsPutAside });
  }
  const said = new Set(problems.flatMap(({ kind }) => SAID_BY[kind] ?? []));
  for (const { name, level, text } of findings) {
    if (level !== 'OK' && !said.has(name)) {
      problems.push({ kind: 'FINDING', level, name, text });
    }
  }
  return problems.sort((one, other) => Number(other.level === 'FAIL') - Number(one.level === 'FAIL'));
}

/** From which number on the deliveries that wait for a pause are that many or more. */
export function closedMaxOf({ due, webhooks }: Facts['closed'], { countMax }: { countMax: number }): number {
  return webhooks < CLOSED_COUNTED ? countMax : due;
}

/** The age of the oldest due delivery whose endpoint does not want it to wait, in ms; 0 if there is none. */
export function lagOf({ oldestOtherDueAt }: Facts['closed'], now: number): number {
  return oldestOtherDueAt == null ? 0 : Math.max(0, now - Date.parse(oldestOtherDueAt));
}
