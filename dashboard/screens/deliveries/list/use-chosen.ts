import { useEffect, useState } from 'react';
import type { Choice } from '../../../parts/virtual-list';
import type { Feed } from './feed';
import type { Row } from './use-feed';

/** How many rows a tick of all chooses: each is sent again or canceled by a request of its own. */
const CHOSEN_AT_ONCE = 100;

/** The rows that a person has chosen, in their latest states. While there are any, the list is frozen. */
export function useChosen(feed: Feed<Row>): Choice<Row> & { rows: Row[]; clear: () => void } {
  const [chosen, setChosen] = useState<ReadonlyMap<string, Row>>(new Map());
  useEffect(() => feed.freeze('chosen', chosen.size > 0), [feed, chosen]);
  const clear = () => setChosen(new Map());
  const chooseFirst = () => setChosen(new Map(feed.loaded.slice(0, CHOSEN_AT_ONCE).map((row) => [row.id, row])));
  const loaded = new Map(chosen.size > 0 ? feed.loaded.map((row) => [row.id, row]) : []);
  return {
    keys: chosen,
    rows: [...chosen.values()].map((row) => loaded.get(row.id) ?? row),
    clear,
    toggleAll: chosen.size > 0 ? clear : chooseFirst,
    toggle: (row) =>
      setChosen((before) => {
        const next = new Map(before);
        return next.delete(row.id) ? next : next.set(row.id, row);
      }),
  };
}
