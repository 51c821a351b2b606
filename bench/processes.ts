import { readdirSync, readFileSync } from 'node:fs';

/**
 * CPU time and memory of other processes, from Linux's /proc (proc(5)). Elsewhere all of it is null: the rates and
 * latencies of the bench do not need it.
 */

/** USER_HZ. The kernel converts to it for every program, whatever its own tick is. */
const TICKS_PER_SECOND = 100;

export interface ProcessStat {
  parent: number;
  name: string;
  /** User and system time of the process itself, in seconds. */
  ownSeconds: number;
  /** The same of those of its children that have ended and were waited for, and of theirs. */
  endedChildrenSeconds: number;
}

/** Reads one line of /proc/<pid>/stat. @throws Error when it is none */
export function parseStat(line: string): ProcessStat {
  // The name is in brackets and may itself hold blanks and brackets: the last one ends it.
  const nameEnd = line.lastIndexOf(')');
  const fields = line.slice(nameEnd + 2).split(' ');
  const seconds = (field: number) => Number(fields[field - 3]) / TICKS_PER_SECOND;
  const stat = {
    parent: Number(fields[1]),
    name: line.slice(line.indexOf('(') + 1, nameEnd),
    ownSeconds: seconds(14) + seconds(15),
    endedChildrenSeconds: seconds(16) + seconds(17),
  };
  if (nameEnd < 0 || Number.isNaN(stat.parent + stat.ownSeconds + stat.endedChildrenSeconds)) {
    throw new Error(`Not a line of /proc/<pid>/stat: ${line}`);
  }
  return stat;
}

/** The most memory that the process ever had resident, in MiB, from /proc/<pid>/status. @returns null without VmHWM */
export function parsePeakMemory(status: string): number | null {
  const kibibytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) / 1024;
}

/** Resident memory in MiB, from /proc/<pid>/status. @returns null without VmRSS */
export function parseMemory(status: string): number | null {
  const kibibytes = /^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) / 1024;
}

/**
 * CPU seconds of a process with all that it has started, the ended ones included.
 *
 * @param stats of every process now, by pid
 */
export function treeSeconds(stats: ReadonlyMap<number, ProcessStat>, root: number): number {
  let seconds = 0;
  for (const [pid, stat] of stats) {
    if (isWithin(stats, pid, root)) {
      seconds += stat.ownSeconds + stat.endedChildrenSeconds;
    }
  }
  return seconds;
}

function isWithin(stats: ReadonlyMap<number, ProcessStat>, pid: number, root: number): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 0; at = stats.get(at)?.parent) {
    if (at === root) {
      return true;
    }
  }
  return false;
}

/** Every process that runs now. @returns null where there is no /proc */
export function readAllStats(): Map<number, ProcessStat> | null {
  if (process.platform !== 'linux') {
    return null;
  }
  const stats = new Map<number, ProcessStat>();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? readStat(Number(entry)) : null;
    if (stat !== null) {
      stats.set(Number(entry), stat);
    }
  }
  return stats;
}

/** @returns null when there is no such process (any more) */
export function readStat(pid: number): ProcessStat | null {
  const line = readProc(`/proc/${pid}/stat`);
  return line === null ? null : parseStat(line);
}

/** In MiB. @returns null when it cannot be known */
export function readPeakMemory(pid: number): number | null {
  const status = readProc(`/proc/${pid}/status`);
  return status === null ? null : parsePeakMemory(status);
}

/** In MiB, now. @returns null when it cannot be known */
export function readMemory(pid: number): number | null {
  const status = readProc(`/proc/${pid}/status`);
  return status === null ? null : parseMemory(status);
}

function readProc(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}

/** CPU seconds by class of process. */
export interface CpuSeconds {
  service: number;
  postgres: number;
  receiver: number;
  load: number;
}

export const cpuBetween = (before: CpuSeconds | null, after: CpuSeconds | null): CpuSeconds | null =>
  combined(after, before, (late, early) => late - early);

export const cpuSum = (a: CpuSeconds | null, b: CpuSeconds | null): CpuSeconds | null =>
  combined(a, b, (one, other) => one + other);

function combined(a: CpuSeconds | null, b: CpuSeconds | null, by: (a: number, b: number) => number): CpuSeconds | null {
  if (a === null || b === null) {
    return null;
  }
  return {
    service: by(a.service, b.service),
    postgres: by(a.postgres, b.postgres),
    receiver: by(a.receiver, b.receiver),
    load: by(a.load, b.load),
  };
}
