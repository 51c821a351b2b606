import { Trans, useLingui } from '@lingui/react/macro';
import { useClient } from 'urql';
import { graphql } from '../api/generated';
import { type Findings, FindWindow } from './find-window';
import type { FinderProps } from './frame-tools';
import { TENANT_SCREENS } from './screens';

const FIND = graphql(`
  query Find($delivery: ID!, $event: ID!, $webhook: ID!) {
    delivery(id: $delivery) { id databaseId }
    event(id: $event) { id databaseId }
    webhook(id: $webhook) { id databaseId }
  }
`);

const PREFIXES = { delivery: 'dl', event: 'ev', webhook: 'wh' } as const;

type Kind = keyof typeof PREFIXES;

const PATHS: Record<Kind, string> = { delivery: '/deliveries', event: '/events', webhook: '/endpoints' };

/** Takes any id that a person has, of a header, a log or another page, and goes there. A screen's name works too. */
export default function Finder(props: FinderProps) {
  const { t } = useLingui();
  const client = useClient();
  const kinds: Record<Kind, string> = { delivery: t`Delivery`, event: t`Event`, webhook: t`Endpoint` };
  const find = async (wanted: string): Promise<Findings> => {
    const nothing = t`Nothing here has the id “${wanted}”.`;
    const [, prefix, number] = /^(dl|ev|wh)?_?(\d{1,16})$/.exec(wanted) ?? [];
    if (number === undefined) {
      return { hits: [], nothing };
    }
    const ids = { delivery: number, event: number, webhook: number };
    const { data, error } = await client.query(FIND, ids).toPromise();
    const found = (Object.keys(PREFIXES) as Kind[]).filter(
      (kind) => data?.[kind] != null && (prefix === undefined || prefix === PREFIXES[kind]),
    );
    return {
      hits: found.map((kind) => ({ path: `${PATHS[kind]}/${number}`, name: `${kinds[kind]} ${number}` })),
      nothing: error?.networkError ? t`The service cannot be reached.` : nothing,
    };
  };
  return (
    <FindWindow
      {...props}
      name={<Trans>An id or number of a delivery, an event or an endpoint; or a screen</Trans>}
      hint={<Trans>A receiver has a delivery's number in the header X-Service-Delivery.</Trans>}
      screens={TENANT_SCREENS}
      find={find}
    />
  );
}
