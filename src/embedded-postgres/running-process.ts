import { spawnSync } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { basename } from 'node:path';

/** A process that runs now. The pair (pid, `startedAt`) is unique: pids are used again, moments of birth are not. */
export interface RunningProcess {
  pid: number;
  /** Compared only with itself; its form differs between systems. Holds no blanks. */
  startedAt: string;
  /** The name of its program, without the folder. */
  name: string;
}

/** Looks at a process of any user. A zombie has ended, so it counts as absent. */
export function findProcess(pid: number): RunningProcess | null {
  return process.platform === 'linux' ? findInProc(pid) : findWithPs(pid);
}

function findInProc(pid: number): RunningProcess | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // proc(5): pid (name) state … ; the name may itself hold blanks and brackets. Field 3 is the state, field 22 the
  // start in clock ticks since the machine's boot, so it takes the boot to make it unique.
  const fromState = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fromState[0] === 'Z' || fromState[0] === 'X') {
    return null;
  }
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
  return { pid, startedAt: `${boot}:${fromState[19]}`, name };
}

/** Whether it works in that folder, as far as can be told: without /proc, or of another user, it may. */
export function mayWorkIn({ pid }: RunningProcess, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
  } catch {
    return true;
  }
}

/** For macOS, which has no /proc. */
export function findWithPs(pid: number): RunningProcess | null {
  const { stdout, status } = spawnSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-o', 'comm=', '-p', String(pid)], {
    encoding: 'utf8',
    // The start is printed in the local time and language: both may change between two looks.
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
  });
  const [state, day, month, date, time, year, ...command] = (stdout ?? '').trim().split(/\s+/);
  if (status !== 0 || state === undefined || state.startsWith('Z')) {
    return null;
  }
  return { pid, startedAt: [day, month, date, time, year].join('-'), name: basename(command.join(' ')) };
}
