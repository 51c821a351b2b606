import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Whether the process, of any user, is a Postgres. A zombie has ended. */
export function isPostgres(pid: number): boolean {
  if (process.platform !== 'linux') {
    return isPostgresByPs(pid);
  }
  try {
    // proc(5): pid (name) state …
    return /^\d+ \(postgres\) [^ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

/** macOS has no /proc. */
export function isPostgresByPs(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' });
  const [state, ...program] = (stdout ?? '').trim().split(/\s+/);
  return basename(program.join(' ')) === 'postgres' && !state!.startsWith('Z');
}
