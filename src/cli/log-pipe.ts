import { setTimeout as delay } from 'node:timers/promises';

/** The most bytes that wait in memory for the log's reader. */
const WAITING_BYTES_MAX = 131_072;
/** An ending process waits this long for a reader. */
const LAST_WAIT_MS = 1_000;
const CHECK_EVERY_MS = 10;

/**
 * Writes log lines to standard output, and never waits for its reader: pino itself would stop the whole process while a
 * pipe is full. Lines are left out while 128 KiB wait for a reader, or when there is none any more.
 */
export class LogPipe {
  #missing = 0;
  #isBroken = false;

  /** @param onMissing called before the next line, with the number of lines that were left out */
  constructor(private readonly onMissing: (lines: number) => void) {
    process.stdout.on('error', () => {
      this.#isBroken = true;
    });
  }

  write(line: string): void {
    if (this.#isBroken) {
      return;
    }
    if (process.stdout.writableLength > WAITING_BYTES_MAX) {
      this.#missing += 1;
      return;
    }
    if (this.#missing > 0) {
      const missing = this.#missing;
      this.#missing = 0;
      this.onMissing(missing);
    }
    process.stdout.write(line);
  }
}

/** Waits until the reader of standard output has taken everything, for a second at most. */
export async function logTaken(): Promise<void> {
  const until = performance.now() + LAST_WAIT_MS;
  while (process.stdout.writableLength > 0 && performance.now() < until) {
    await delay(CHECK_EVERY_MS);
  }
}
