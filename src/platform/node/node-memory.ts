import { setFlagsFromString } from 'node:v8';

/**
 * V8 and glibc take all that the machine has: under load the process had 500 MiB resident, of which 70 were alive. With
 * these it has half, and a delivery costs no more (docs/performance.md).
 */
const flags = [
  // Each of the two halves of the space for new objects, in MiB, a power of two; 64 otherwise.
  '--max-semi-space-size=32',
  // The old objects are collected when they have grown by this much; by up to 300 otherwise.
  '--heap-growing-percent=45',
  // Memory of compiling is given back at once: otherwise only when nothing waits to be compiled, 8 to 40 MiB.
  '--no-maglev-destroy-on-background',
];
/** Heaps of malloc, between which memory that was freed is not shared; 8 for each core otherwise. */
const ARENAS_MAX = '1';

/**
 * Starts the program again, as the same process, with the flags that were not given: most take effect at the start of
 * Node only. Call it before what serves is loaded. It does not return where it starts the program again.
 */
export function saveMemory(): void {
  const missing = missingFlags(process.execArgv, process.env['NODE_OPTIONS']);
  if (missing.length === 0) {
    return;
  }
  if (!mayStartAgain()) {
    missing.forEach(setFlagsFromString); // some still take effect
    return;
  }
  const args = [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)];
  process.execve?.(process.execPath, args, { MALLOC_ARENA_MAX: ARENAS_MAX, ...process.env });
}

/** A channel to a parent that is Node would not survive. Windows has no such call. */
function mayStartAgain(): boolean {
  const isAllowed = process.permission?.has('child') ?? true;
  return process.execve !== undefined && process.platform !== 'win32' && !process.channel && isAllowed;
}

/**
 * Our flags that the operator has not set. Node takes underscores for hyphens; `--no-x` and `--x` are one flag.
 *
 * @param execArgv Node's own arguments
 * @param nodeOptions the variable NODE_OPTIONS
 */
export function missingFlags(execArgv: readonly string[], nodeOptions = ''): string[] {
  const given = [...execArgv, nodeOptions].join(' ').replaceAll('_', '-');
  return flags.filter((flag) => !given.includes(flag.replace(/^--(no-)?/, '').replace(/=.*/, '')));
}
