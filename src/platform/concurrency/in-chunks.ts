/**
 * Works chunk by chunk until one is not full, each in its own transaction: a statement that takes too long is undone,
 * and takes longer the next time.
 *
 * @param work does the next chunk and returns its number of rows
 * @param rowsMax after this many rows the rest is left for another call
 * @returns the number of rows
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
