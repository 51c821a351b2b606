import type { Logger } from 'pino';
import { installIndexes } from '../operations/installation/install-indexes.js';
import type { Closing } from './observe.js';

/** An index of a small table is there by then. */
const SILENT_MS = 2_000;

/** Says which index it makes where that takes a while. */
export async function makeIndexes(databaseUrl: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const onIndex = (name: string) => {
    clearTimeout(timer);
    const text = `Making the index ${name} beside what runs. It waits for older transactions.\n`;
    timer = setTimeout(() => process.stderr.write(text), SILENT_MS);
  };
  const onWait = () => process.stderr.write('Another process is making indexes of this database; waiting for it.\n');
  await installIndexes(databaseUrl, { onWait, onIndex }).finally(() => clearTimeout(timer));
}

/** Nobody waits for indexes, which may take minutes. @returns what breaks that off */
export function makeIndexesMeanwhile(databaseUrl: string, log: Logger): Closing {
  const ending = new AbortController();
  const made = installIndexes(databaseUrl, { signal: ending.signal }).catch((error: unknown) => {
    if (!ending.signal.aborted) {
      log.warn({ err: error }, 'Indexes could not be made. The next start tries again.');
    }
  });
  return async () => {
    ending.abort();
    await made;
  };
}
