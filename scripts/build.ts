import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

// `npm run build`: builds the parts side by side, each by its script in package.json. Nothing here checks types
// (`npm run types` does), because a start need not wait for that.
const PARTS = ['service', 'packages', 'dashboard'];
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const running = new Set<ChildProcess>();
let isEnding = false;
let built = 0;

/** Each part has a process group of its own, because what its shell has started must end too. */
function endAll(): void {
  isEnding = true;
  for (const { pid, exitCode, signalCode } of running) {
    if (exitCode === null && signalCode === null) {
      process.kill(-pid!, 'SIGTERM');
    }
  }
}

async function buildPart(part: string): Promise<void> {
  const startedAt = performance.now();
  const command = `{ ${scripts[`${part}:build`]}; } 2>&1`;
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  running.add(child);
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  running.delete(child);
  if (isEnding) {
    return;
  }
  if (code !== 0) {
    endAll();
    process.stderr.write(`${output}Building the ${part} failed. "npm run ${part}:build" builds it alone.\n`);
    process.exitCode = 1;
    return;
  }
  built += 1;
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
  process.stderr.write(`${output}  ${built} of ${PARTS.length}: ${part}, ${seconds} s\n`);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, async () => {
    endAll();
    await parts;
    process.kill(process.pid, signal);
  });
}
process.stderr.write(`Building ${PARTS.join(', ')} …\n`);
const parts = Promise.all(PARTS.map(buildPart));
await parts;
if (!isEnding) {
  writeFileSync('dist/.built', '');
}
