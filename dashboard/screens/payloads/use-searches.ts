import { useEffect, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { createFeedClient } from '../../api/client';
import type { PayloadsWithQuery } from '../../api/generated/graphql';
import type { EventFilterInput } from '../events/event-filter';
import { PAYLOADS_WITH } from './documents';

/** The result of a search in the payloads of one tenant. */
export interface Found {
  events: PayloadsWithQuery['events'] | undefined;
  error: CombinedError | undefined;
}

/**
 * Searches the payloads of tenants, one after the other, until it is stopped or the filter is another one.
 *
 * @param tenants their numbers, in this order
 */
export function useSearches(tenants: readonly number[], filter: EventFilterInput) {
  const client = useClient();
  const asked = JSON.stringify(filter);
  const [{ of, found }, setFound] = useState({ of: asked, found: new Map<number, Found>() });
  const [stopped, setStopped] = useState<string>();
  const known = of === asked ? found : new Map<number, Found>();
  const next = stopped === asked ? undefined : tenants.find((tenant) => !known.has(tenant));
  useEffect(() => {
    if (next === undefined) {
      return;
    }
    const context = { fetchOptions: { headers: { 'hookwright-tenant': String(next) } } };
    // To unsubscribe breaks the request off.
    const { unsubscribe } = createFeedClient(client)
      .query(PAYLOADS_WITH, { filter: JSON.parse(asked) }, context)
      .subscribe(({ data, error }) =>
        setFound((now) => ({
          of: asked,
          found: new Map(now.of === asked ? now.found : []).set(next, { events: data?.events, error }),
        })),
      );
    return unsubscribe;
  }, [client, next, asked]);
  return { found: known, searching: next, stop: () => setStopped(asked), goOn: () => setStopped(undefined) };
}
