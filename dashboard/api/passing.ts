import type { CombinedError } from 'urql';

const PASSING_STATUS = new Set([408, 429, 502, 503, 504]);
const PASSING_CODES: readonly unknown[] = ['UNAVAILABLE', 'RATE_LIMITED'];

/** Whether a query may be answered later: the service, or its database, cannot be reached, or is busy. */
export const isPassing = ({ networkError, graphQLErrors }: CombinedError): boolean =>
  networkError !== undefined || graphQLErrors.some(({ extensions }) => PASSING_CODES.includes(extensions['code']));

/** How long to wait before the next try. @param failures how many tries have failed, at least 1 */
export function pauseMs(failures: number): number {
  return Math.min(15_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2);
}

/**
 * Sends a request until the service answers it: until then the first load of a page has nothing to show.
 *
 * @param waits is called each time that it has to wait
 */
export async function untilAnswered(ask: () => Promise<Response>, waits: () => void): Promise<Response> {
  for (let failures = 1; ; failures += 1) {
    const response = await ask().catch((error: unknown) => {
      if (!(error instanceof TypeError)) {
        throw error;
      }
      return null; // the service cannot be reached
    });
    if (response !== null && !PASSING_STATUS.has(response.status)) {
      return response;
    }
    waits();
    const waitMs = pauseMs(failures);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
