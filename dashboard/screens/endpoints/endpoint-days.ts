import { useEffect, useRef, useState } from 'react';
import { useClient } from 'urql';
import type { EndpointDaysQuery } from '../../api/generated/graphql';
import { useRefresh } from '../../parts/refresh';
import { ENDPOINT_DAYS } from './documents';

type Node = NonNullable<EndpointDaysQuery['nodes']>[number];
export type Day = NonNullable<Extract<Node, { stats?: unknown }>['stats']>;

/** How many endpoints have their statistics in one query, by what that may cost. */
const IN_ONE_QUERY = 9;
const HOUR_MS = 3_600_000;
const READ_EVERY_MS = 60_000;

/** The last 24 hours of each endpoint, by its id: read in the order of the ids, a few at a time, and again each minute. */
export function useDays(ids: readonly string[]): ReadonlyMap<string, Day> {
  const client = useClient();
  const [days, setDays] = useState<ReadonlyMap<string, Day>>(new Map());
  const reading = useRef(0);
  const read = async () => {
    reading.current += 1;
    const turn = reading.current;
    const since = new Date(Math.floor(Date.now() / HOUR_MS - 23) * HOUR_MS).toISOString();
    for (let at = 0; at < ids.length && turn === reading.current; at += IN_ONE_QUERY) {
      const variables = { ids: ids.slice(at, at + IN_ONE_QUERY), since };
      const { data } = await client
        .query(ENDPOINT_DAYS, variables, { requestPolicy: 'network-only' })
        .toPromise();
      const read = (data?.nodes ?? []).flatMap((node) =>
        node !== null && 'stats' in node && node.stats ? [[node.id, node.stats] as const] : [],
      );
      setDays((known) => new Map([...known, ...read]));
    }
  };
  const latest = useRef(read);
  latest.current = read;
  const known = ids.toSorted().join();
  // Which ones there are matters, not their order, which changes as they fail and recover.
  useEffect(() => {
    void latest.current();
    return () => {
      reading.current += 1;
    };
  }, [known]);
  useRefresh(() => void latest.current(), READ_EVERY_MS);
  return days;
}
