import { useEffect, useState } from 'react';
import type { UseQueryState } from 'urql';
import { clock } from '../../parts/clock';

/** When an answer of the service came last, in ISO 8601 by its clock; undefined before the first one. */
export function useReadAt({ data, error, fetching, stale }: UseQueryState<unknown>): string | undefined {
  const [readAt, setReadAt] = useState<string>();
  const isAnswered = data != null && error === undefined && !fetching && !stale;
  useEffect(() => {
    if (isAnswered) {
      setReadAt(new Date(clock.now()).toISOString());
    }
  }, [isAnswered]);
  return readAt;
}
