import type { Dedupe, DedupeState } from './dedupe.js';

const WAIT_MS = 10_000;
const LOOK_MS = 200;

/**
 * Runs it unless it was run, or another copy runs it. For the other's end it waits up to 10 seconds, because the
 * service would take any answer but 2xx for a failure.
 *
 * @throws whatever it throws; then the delivery is forgotten, and its next attempt runs it
 */
export async function runOnce(
  dedupe: Dedupe,
  id: string,
  run: () => Promise<unknown>,
  onError: (error: unknown) => void,
): Promise<'handled' | 'duplicate' | 'running'> {
  const state = await beginOrWait(dedupe, id);
  if (state !== 'new') {
    return state === 'done' ? 'duplicate' : 'running';
  }
  // A store in JavaScript may throw, or return no promise.
  const note = async (end: 'done' | 'forget') => dedupe[end](id);
  try {
    await run();
  } catch (error) {
    await note('forget').catch(onError);
    throw error;
  }
  // Its work is done: with an answer other than 2xx it would be done again.
  await note('done').catch(onError);
  return 'handled';
}

/** The looks are counted, not the time: the clock of a Worker stands still between them. */
async function beginOrWait(dedupe: Dedupe, id: string): Promise<DedupeState> {
  for (let looks = WAIT_MS / LOOK_MS; looks > 0; looks--) {
    const state = await dedupe.begin(id);
    if (state !== 'running') {
      return state;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return dedupe.begin(id);
}
