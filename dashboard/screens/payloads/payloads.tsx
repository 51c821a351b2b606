import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { useQuery } from 'urql';
import type { SearchedTenantsQuery } from '../../api/generated/graphql';
import { Button, buttonLook } from '../../parts/button';
import { NameAndId } from '../../parts/cells';
import { FilterRow } from '../../parts/field';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { Link, useAddress } from '../../parts/place';
import { RangePicker, rangeSearch, useRange } from '../../parts/range';
import { SearchBox } from '../../parts/search-box';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { count } from '../../text/numbers';
import { type EventFilterInput, eventFilter } from '../events/event-filter';
import { ProblemAnswer } from '../events/problem-answer';
import { SEARCHED_TENANTS } from './documents';
import { MarkedPart } from './marked-part';
import { type Found, useSearches } from './use-searches';

type Tenant = NonNullable<SearchedTenantsQuery['tenants']>['nodes'][number];

const USUAL_RANGE = '7d';

/** Events of several tenants whose payloads have a text: the newest ones of each. */
export default function Payloads() {
  const { t } = useLingui();
  const [{ text }] = useAddress();
  const { filter, problem } = eventFilter({ text }, useRange(USUAL_RANGE), Date.now());
  return (
    <>
      <PageHead title={t`Search payloads`} actions={<RangePicker usual={USUAL_RANGE} />} />
      <FilterRow>
        <SearchBox name="text" label={t`Text in the payload`} />
        <SearchBox name="tenants" label={t`Tenants: name or external ID`} />
      </FilterRow>
      {text && problem && <ProblemAnswer problem={problem} />}
      {text && !problem && <Searched text={text} filter={filter} />}
    </>
  );
}

/** The tenants of the address, a few at a time, and what is found in them. */
function Searched({ text, filter }: { text: string; filter: EventFilterInput }) {
  const [{ tenants: named = '' }] = useAddress();
  const [after, setAfter] = useState<{ of: string; cursor: string }>();
  const [{ data, error }, again] = useQuery({
    query: SEARCHED_TENANTS,
    variables: { filter: named === '' ? null : { search: named }, after: after?.of === named ? after.cursor : null },
  });
  const tenants = data?.tenants?.nodes ?? [];
  const { found, searching, stop, goOn } = useSearches(
    tenants.map(({ databaseId }) => databaseId),
    filter,
  );
  const page = data?.tenants?.pageInfo;
  const matches = tenants.filter(({ databaseId }) => isShown(found.get(databaseId)));
  const searched = tenants.filter(({ databaseId }) => found.has(databaseId)).length;
  const isDone = data?.tenants != null && searched === tenants.length;
  if (error) {
    return <Failure error={error} retry={again} />;
  }
  return (
    <>
      <Progress searched={searched} all={tenants.length}>
        {searching !== undefined && (
          <Button onClick={stop}>
            <Trans>Stop</Trans>
          </Button>
        )}
        {searching === undefined && searched < tenants.length && (
          <Button onClick={goOn}>
            <Trans>Go on</Trans>
          </Button>
        )}
        {isDone && page?.hasNextPage && (
          <Button onClick={() => setAfter({ of: named, cursor: page.endCursor ?? '' })}>
            <Trans>Search the next tenants</Trans>
          </Button>
        )}
      </Progress>
      <div className="flex flex-col gap-4">
        {matches.map((tenant) => (
          <OfTenant key={tenant.id} tenant={tenant} found={found.get(tenant.databaseId)!} text={text} />
        ))}
      </div>
      {isDone && matches.length === 0 && (
        <Card>
          <Empty title={<Trans>No matching payload</Trans>}>
            <Trans>The search compares letter by letter. Choose other tenants or another range.</Trans>
          </Empty>
        </Card>
      )}
    </>
  );
}

const isShown = (found: Found | undefined): boolean =>
  found !== undefined && (found.error !== undefined || (found.events?.nodes.length ?? 0) > 0);

function Progress({ searched, all, children }: { searched: number; all: number; children: ReactNode }) {
  return (
    <div className="mb-3 flex min-h-7.5 flex-wrap items-center gap-3 text-sm text-soft" role="status">
      <Trans>
        {count(searched)} of {count(all)} tenants searched.
      </Trans>
      {children}
    </div>
  );
}

/** The newest matches of a tenant. Each leads to its event, which says who got it, and why not. */
function OfTenant({ tenant, found: { events, error }, text }: { tenant: Tenant; found: Found; text: string }) {
  const { t } = useLingui();
  const range = useRange(USUAL_RANGE);
  const place = `/tenants/${tenant.databaseId}`;
  return (
    <Card
      flush
      title={<NameAndId {...tenant} />}
      actions={
        events?.pageInfo.hasNextPage && (
          <Link to={`${place}/events`} search={{ text, ...rangeSearch(range) }} className={buttonLook('quiet')}>
            <Trans>Show all</Trans>
          </Link>
        )
      }
    >
      {error && <Failure error={error} />}
      <ul aria-label={t`Events of ${tenant.name}`} className="divide-y divide-line">
        {events?.nodes.map(({ id, databaseId, eventType, createdAt, body }) => (
          <li key={id} className="relative flex flex-col gap-1 px-3.5 py-2 hover:bg-sunken">
            <span className="flex items-baseline gap-2 text-sm">
              <Link
                to={`${place}/events/${databaseId}`}
                className="font-medium text-ink no-underline after:absolute after:inset-0 hover:underline"
              >
                <Untrusted text={eventType} />
              </Link>
              <span className="figures text-xs text-soft">{databaseId}</span>
              <span className="ms-auto text-xs text-soft">
                <Time value={createdAt} />
              </span>
            </span>
            {body != null && <MarkedPart body={body} text={text} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}
