/**
 * Works chunk by chunk until one is not full, each in a transaction of its own: what takes too long in one statement is
 * undone, and takes longer the next time.
 *
 * @param work does the next chunk; answers with how many rows that had
 * @param rowsMax after this many rows the rest is left for another call
 * @returns how many rows that were
 */
export async function inChunks(
  chunkRows: number,
  work: () => Promise<number>,
  rowsMax = Number.POSITIVE_INFINITY,
): Promise<number> {
  let done = 0;
  for (let rows = chunkRows; rows === chunkRows && done < rowsMax; done += rows) {
    rows = await work();
  }
  return done;
}
