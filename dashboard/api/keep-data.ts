import { type Exchange, mapExchange } from 'urql';

/**
 * Where a question that was answered before cannot be answered now, as when the service is started again, the last
 * answer stays beside the error: a screen that reads again every now and then does not go blank.
 */
export function keepData(): Exchange {
  const answers = new Map<number, unknown>();
  return mapExchange({
    onOperation({ kind, key }) {
      if (kind === 'teardown') {
        answers.delete(key);
      }
    },
    onResult(result) {
      const { kind, key } = result.operation;
      if (kind !== 'query') {
        return result;
      }
      if (result.data != null) {
        answers.set(key, result.data);
        return result;
      }
      return result.error === undefined ? result : { ...result, data: answers.get(key) };
    },
  });
}
