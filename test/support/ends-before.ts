/**
 * Whether work of this process ends before a timer that is set now. A machine that is busy elsewhere makes both late,
 * and does not change their order.
 */
export async function endsBefore(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  const ended = () => resolve(true);
  work.then(ended, ended);
  return await promise.finally(() => clearTimeout(timer));
}
