import { useEffect, useState } from 'react';
import { noted, type Reading, rateOf } from './rates';

interface Operation {
  id: string;
  status: string;
  processed: number;
}

/** How fast running operations go on, by their ids, in processed items in a ms. @param operations as they are read again */
export function useRates(operations: readonly Operation[]): ReadonlyMap<string, number | undefined> {
  const [readings, setReadings] = useState<ReadonlyMap<string, Reading[]>>(new Map());
  useEffect(() => {
    const at = Date.now();
    const running = operations.filter(({ status }) => status === 'RUNNING');
    setReadings(
      (before) =>
        new Map(running.map(({ id, processed }) => [id, noted(before.get(id) ?? [], { at, processed })] as const)),
    );
  }, [operations]);
  return new Map([...readings].map(([id, ofOne]) => [id, rateOf(ofOne, Date.now())]));
}
