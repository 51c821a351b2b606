import { useLingui } from '@lingui/react/macro';
import { useRef } from 'react';
import { type CombinedError, useClient } from 'urql';
import { dateToId, IDS_PER_DAY, idToDate } from '../../src/domain/ids/delivery-id';
import { isExternalId, markedExternalId, withMark } from '../../src/domain/ids/external-id';
import { parseAttemptKey, parseGlobalId } from '../../src/domain/ids/global-id';
import { parseId } from '../../src/domain/ids/id';
import { DAY_MS } from '../../src/domain/text/durations';
import { graphql } from '../api/generated';
import type { FindTypesQuery, ObjectKind } from '../api/generated/graphql';
import { formatter } from '../text/formats';
import { endpointLabel, labelOf } from './cells';
import type { Hit } from './find-field';
import { Untrusted } from './untrusted';
import { useViewer } from './viewer';

/** How many hits of each kind a search by text shows. */
export const SHOWN_MAX = 8;

const WHERE_IS = graphql(`
  query WhereIs($id: ID!) {
    whereIs(id: $id) { objectId kind url name externalId tenant { databaseId name externalId } }
  }
`);

const FIND_TYPES = graphql(`
  query FindTypes {
    eventTypes { id name }
  }
`);

/** Reads a text as an id. The id of an attempt gives that of its delivery, whose page shows it. */
export function idIn(text: string): string | undefined {
  const id = parseGlobalId(text);
  if (id?.type === 'Attempt') {
    return `dl_${parseAttemptKey(id.key)?.deliveryId}`;
  }
  return id !== null || parseId(text) !== null ? text : undefined;
}

/** Paths among the screens of a tenant; of the lists for what has no page of its own. */
const PATHS: Record<ObjectKind, string> = {
  DELIVERY: '/deliveries/',
  ATTEMPT: '/deliveries/',
  EVENT: '/events/',
  WEBHOOK: '/endpoints/',
  BULK_OPERATION: '/operations/',
  EVENT_TYPE: '/event-types/',
  TENANT: '/overview',
  API_KEY: '/keys',
  PORTAL_SESSION: '/settings',
  AUDIT_ENTRY: '/audit',
};

/** @param id of the object, global or its number */
export function pathOf(kind: ObjectKind, id: string): string {
  const path = PATHS[kind];
  return path.endsWith('/') ? `${path}${id.slice(id.indexOf('_') + 1)}` : path;
}

export function useKindNames(): Record<ObjectKind, string> {
  const { t } = useLingui();
  return {
    DELIVERY: t`Delivery`,
    ATTEMPT: t`Attempt`,
    EVENT: t`Event`,
    WEBHOOK: t`Endpoint`,
    BULK_OPERATION: t`Operation`,
    EVENT_TYPE: t`Event type`,
    TENANT: t`Tenant`,
    API_KEY: t`Key`,
    PORTAL_SESSION: t`Portal session`,
    AUDIT_ENTRY: t`Audit entry`,
  };
}

export function HitName({ kind, id, of }: { kind: string; id: string; of?: string | undefined }) {
  return (
    <>
      <span className="text-soft">{kind}</span>
      <span className="truncate">
        <Untrusted text={id} />
      </span>
      {of !== undefined && (
        <span className="ms-auto truncate text-faint">
          <Untrusted text={of} />
        </span>
      )}
    </>
  );
}

/** Finds things of all tenants by an id of ours or an external one, with a platform key. */
export function useWhereIs(): (text: string) => Promise<{ tenantId: number | undefined; hit: Hit }[]> {
  const client = useClient();
  const kinds = useKindNames();
  return async (text) => {
    const externalId = markedExternalId(text) ?? (isExternalId(text) ? text : null);
    const ids = [idIn(text), externalId === null ? undefined : withMark(externalId)].filter((id) => id !== undefined);
    const answers = await Promise.all(ids.map((id) => client.query(WHERE_IS, { id }).toPromise()));
    const found = answers.flatMap(({ data }) => data?.whereIs ?? []);
    const unique = [...new Map(found.map((one) => [one.objectId, one])).values()];
    return unique.map(({ objectId, kind, tenant, url, ...named }) => ({
      tenantId: tenant?.databaseId,
      hit: {
        path: `${tenant == null ? '' : `/tenants/${tenant.databaseId}`}${pathOf(kind, objectId)}`,
        name: (
          <HitName
            kind={kinds[kind]}
            id={url == null ? objectId : endpointLabel({ url, ...named })}
            of={tenant ? labelOf(tenant.name, tenant.externalId) : undefined}
          />
        ),
      },
    }));
  };
}

/** Finds event types by a part of their name, which are asked for once. @param below the path of their pages */
export function useFindTypes(below: string): (text: string) => Promise<Hit[]> {
  const client = useClient();
  const kind = useKindNames().EVENT_TYPE;
  const asked = useRef<Promise<FindTypesQuery | undefined>>(undefined);
  return async (text) => {
    asked.current ??= client
      .query(FIND_TYPES, {})
      .toPromise()
      .then(({ data }) => data);
    const wanted = text.replace(/^et_/, '').toLowerCase();
    return ((await asked.current)?.eventTypes ?? [])
      .filter(({ name }) => name.includes(wanted))
      .slice(0, SHOWN_MAX)
      .map(({ name }) => ({ path: `${below}/${name}`, name: <HitName kind={kind} id={name} /> }));
  };
}

/**
 * The sentence for a search without a hit: the number of a delivery or an event says when it was made.
 *
 * @param elsewhere what is found in another place. Default: nothing
 */
export function useNothing(elsewhere?: string): (wanted: string, error: CombinedError | undefined) => string {
  const { t, i18n } = useLingui();
  const { retention } = useViewer();
  return (wanted, error) => {
    if (error?.networkError) {
      return t`The service is unreachable.`;
    }
    const days = retention.deliveryDays;
    const madeAt = idToDate(Number(/^(?:dl_|ev_)?(\d+)$/.exec(idIn(wanted) ?? '')?.[1] ?? 0));
    const ageDays = (Date.now() - madeAt.getTime()) / DAY_MS;
    // Numbers that count from 1 lie in the first day of the others.
    const isOld = ageDays > days && dateToId(madeAt) > IDS_PER_DAY;
    const day = formatter(Intl.DateTimeFormat, i18n.locale, { dateStyle: 'medium' }).format(madeAt);
    if (isOld) {
      return t`Nothing found. ${wanted} is from ${day}, and deliveries are kept for ${days} days.`;
    }
    return elsewhere !== undefined
      ? `${t`Nothing found for “${wanted}”.`} ${elsewhere}`
      : t`Nothing found for “${wanted}”. Deliveries are kept for ${days} days, idempotency keys for 7.`;
  };
}
