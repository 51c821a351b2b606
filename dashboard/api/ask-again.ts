import { type Exchange, makeOperation, mapExchange, type Operation } from 'urql';
import { isPassing, pauseMs } from './passing';

/**
 * A query that cannot be answered now is asked again until it is, while a screen shows it: a screen that was opened
 * while the service was away does not keep its error.
 *
 * @param ask asks once more, if a screen still wants it
 */
export function askAgain(ask: (operation: Operation) => void): Exchange {
  const waiting = new Map<number, { failures: number; timer: ReturnType<typeof setTimeout> }>();
  const forget = (key: number) => {
    clearTimeout(waiting.get(key)?.timer);
    waiting.delete(key);
  };
  const askSoon = (operation: Operation, failures: number) => {
    clearTimeout(waiting.get(operation.key)?.timer);
    const timer = setTimeout(() => {
      if (document.hidden) {
        askSoon(operation, failures);
      } else {
        ask(makeOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' }));
      }
    }, pauseMs(failures));
    waiting.set(operation.key, { failures, timer });
  };
  return mapExchange({
    onOperation: ({ kind, key }) => {
      if (kind === 'teardown') {
        forget(key);
      }
    },
    onResult: ({ operation, error, stale }) => {
      if (operation.kind !== 'query') {
        return;
      }
      if (error !== undefined && isPassing(error)) {
        askSoon(operation, (waiting.get(operation.key)?.failures ?? 0) + 1);
      } else if (!stale) {
        forget(operation.key);
      }
    },
  });
}
