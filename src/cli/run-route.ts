import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** How long the command may take: meanwhile nothing of the tenant is sent. */
const WITHIN_MS = 10_000;

/**
 * Runs a shell command that changes the proxy's map. It has a process group of its own, so that Ctrl-C ends the move
 * alone.
 *
 * @param lines those of moved.map, for its standard input
 * @returns what is wrong, as the end of a sentence; null: nothing
 */
export async function runRoute(
  command: string,
  lines: readonly string[],
  withinMs: number = WITHIN_MS,
): Promise<string | null> {
  const child = spawn('sh', ['-c', command], { stdio: ['pipe', 'inherit', 'inherit'], detached: true });
  let isEnded = false;
  const timer = setTimeout(() => {
    isEnded = true;
    process.kill(-child.pid!, 'SIGKILL');
  }, withinMs);
  child.stdin.on('error', () => {}); // it may read nothing
  child.stdin.end(`${lines.join('\n')}\n`);
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  clearTimeout(timer);
  if (isEnded) {
    return `has not ended within ${withinMs / 1000} s, and was killed`;
  }
  return code === 0 ? null : `has failed (${code ?? signal})`;
}
