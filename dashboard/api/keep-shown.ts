import { type Exchange, makeOperation, mapExchange, type Operation } from 'urql';
import { isPassing, pauseMs } from './passing';

/** A query that a screen shows, from its first answer on. */
interface Shown {
  data: unknown;
  /** How many times in a row it could not be answered. */
  failures: number;
  /** Asks again. */
  timer: ReturnType<typeof setTimeout> | undefined;
  /** No screen shows it any more. */
  isOver: boolean;
}

/**
 * Keeps what screens show:
 * - A query that is read again goes to the service, not to the cache.
 * - The last answer stays beside an error.
 * - A query that cannot be answered now, as while the service restarts, is asked again until it is.
 *
 * @param ask asks once more, if a screen still shows the answer
 */
export function keepShown(ask: (operation: Operation) => void): Exchange {
  const shown = new Map<number, Shown>();
  const askSoon = (operation: Operation, known: Shown) => {
    known.timer = setTimeout(
      () => (document.hidden ? askSoon(operation, known) : ask(fromService(operation))),
      pauseMs(known.failures),
    );
  };
  return mapExchange({
    onOperation(operation) {
      const { kind, key, context } = operation;
      const known = shown.get(key);
      if (known === undefined) {
        return operation;
      }
      known.isOver = kind === 'teardown';
      if (known.isOver) {
        clearTimeout(known.timer);
        // To read a query again, `useQuery` ends it, and begins it at once.
        queueMicrotask(() => known.isOver && shown.delete(key));
      }
      return kind === 'query' && context.requestPolicy === 'cache-and-network' ? fromService(operation) : operation;
    },
    onResult(result) {
      const { operation, error, stale } = result;
      if (operation.kind !== 'query') {
        return result;
      }
      const known = shown.get(operation.key) ?? { data: undefined, failures: 0, timer: undefined, isOver: false };
      shown.set(operation.key, known);
      known.data = result.data ?? known.data;
      if (error === undefined && stale) {
        return result; // of the cache: the service has not answered yet
      }
      clearTimeout(known.timer);
      if (error !== undefined && isPassing(error)) {
        known.failures += 1;
        askSoon(operation, known);
      } else {
        known.failures = 0;
      }
      return error === undefined ? result : { ...result, data: known.data };
    },
  });
}

const fromService = (operation: Operation): Operation =>
  makeOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' });
