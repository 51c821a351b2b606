import { Trans } from '@lingui/react/macro';
import { useContext } from 'react';
import { type Client, type CombinedError, useClient } from 'urql';
import { markedExternalId } from '../../src/domain/ids/external-id';
import { graphql } from '../api/generated';
import { endpointLabel } from './cells';
import { HitName, idIn, pathOf, SHOWN_MAX, useFindTypes, useKindNames, useNothing, useWhereIs } from './find-any-id';
import type { Hit } from './find-field';
import { type Findings, FindWindow } from './find-window';
import type { FinderProps } from './frame-tools';
import { PlaceContext } from './place';
import { screensFor } from './screens';
import { isAllowed, useViewer } from './viewer';

const FIND = graphql(`
  query Find($id: ID!) {
    delivery(id: $id) { id }
    event(id: $id) { id }
    webhook(id: $id) { id }
    bulkOperation(id: $id) { id }
  }
`);

const FIND_TEXT = graphql(`
  query FindText($text: String!, $search: String!, $first: Int!) {
    webhooks(first: $first, filter: { search: $search }) { edges { node { id databaseId name url externalId } } }
    events(first: $first, filter: { idempotencyKey: $text }) { edges { node { id eventType } } }
  }
`);

/** The most that the API searches for. */
const SEARCH_CHARS_MAX = 200;

/**
 * Takes the id or number of anything, a part of an endpoint's name, description, URL or external id or of an event type's
 * name, an idempotency key, a screen.
 */
export default function Finder(props: FinderProps) {
  const client = useClient();
  const place = useContext(PlaceContext);
  const viewer = useViewer();
  const whereIs = useWhereIs();
  const findTypes = useFindTypes(`${place}/catalogue`);
  const kinds = useKindNames();
  const nothing = useNothing();
  const find = async (wanted: string): Promise<Findings> => {
    const id = idIn(wanted);
    const [own, elsewhere, { named, error }, types] = await Promise.all([
      id === undefined ? [] : findById(client, id),
      isAllowed(viewer, 'platform:read') ? whereIs(wanted) : [],
      findByText(client, markedExternalId(wanted) ?? wanted),
      findTypes(wanted),
    ]);
    const hits = [...own, ...named].map(
      ({ kind, id, name = id }): Hit => ({
        path: `${place}${pathOf(kind, id)}`,
        name: <HitName kind={kinds[kind]} id={name} />,
      }),
    );
    const others = elsewhere.filter(({ tenantId }) => tenantId !== viewer.tenant?.databaseId).map(({ hit }) => hit);
    return { hits: [...hits, ...types, ...others], nothing: nothing(wanted, error) };
  };
  return (
    <FindWindow
      {...props}
      name={<Trans>Number, id, external ID, name, URL, event type, idempotency key or screen</Trans>}
      hint={<Trans>A receiver has a delivery's number in the header X-Service-Delivery.</Trans>}
      screens={screensFor(viewer)}
      find={find}
      payloads={isAllowed(viewer, 'events:read') ? `${place}/events` : undefined}
    />
  );
}

interface Found {
  kind: 'DELIVERY' | 'EVENT' | 'WEBHOOK' | 'BULK_OPERATION';
  id: string;
  name?: string;
}

async function findById(client: Client, id: string): Promise<Found[]> {
  const { data } = await client.query(FIND, { id }).toPromise();
  const found = {
    DELIVERY: data?.delivery,
    EVENT: data?.event,
    WEBHOOK: data?.webhook,
    BULK_OPERATION: data?.bulkOperation,
  };
  return Object.entries(found).flatMap(([kind, one]) =>
    one == null ? [] : { kind: kind as Found['kind'], id: one.id },
  );
}

async function findByText(client: Client, text: string): Promise<{ named: Found[]; error: CombinedError | undefined }> {
  const search = text.slice(0, SEARCH_CHARS_MAX);
  const { data, error } = await client.query(FIND_TEXT, { text, search, first: SHOWN_MAX }).toPromise();
  const named = [
    ...(data?.webhooks?.edges ?? []).map(
      ({ node }): Found => ({
        kind: 'WEBHOOK',
        id: node.id,
        name: endpointLabel(node),
      }),
    ),
    ...(data?.events?.edges ?? []).map(
      ({ node }): Found => ({
        kind: 'EVENT',
        id: node.id,
        name: `${node.id} ${node.eventType}`,
      }),
    ),
  ];
  return { named, error };
}
