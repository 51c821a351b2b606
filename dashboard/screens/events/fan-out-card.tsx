import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import type { EventRowFragment, FanOutQuery } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { EndpointLink } from '../../parts/cells';
import { type Column, List, More, usePage } from '../../parts/list';
import { Answer, Card, Failure } from '../../parts/page';
import { Link, useGo } from '../../parts/place';
import { subjectAndReason } from '../../parts/reason-column';
import { useReadAgain } from '../../parts/refresh';
import { Skeleton } from '../../parts/skeleton';
import { Badge, DELIVERY_STATES, DeliveryBadge } from '../../parts/status';
import { count } from '../../text/numbers';
import { tally } from '../../text/tally';
import { FAN_OUT } from './documents';
import { arrangeFates, toneOf, WORST_FIRST } from './fan-out';
import { DeliveryWords, ReasonWords } from './fan-out-words';
import { FixAction } from './fix-action';

type Row = NonNullable<NonNullable<NonNullable<FanOutQuery['event']>['fanOut']>['edges'][number]['node']>;

/**
 * The fate of an event at each endpoint: its delivery, or why there is none and how to get one.
 *
 * @param props.children what follows: it comes with the list, which has any height
 */
export function FanOut({ event, children }: { event: EventRowFragment; children: ReactNode }) {
  const { t } = useLingui();
  const go = useGo();
  const [after, setAfter] = usePage();
  const [{ data, error, fetching }, readAgain] = useQuery({
    query: FAN_OUT,
    variables: { id: event.id, after },
  });
  useReadAgain(readAgain, after === null);
  const columns = useColumns(event, readAgain);
  const fanOut = data?.event?.fanOut;
  const rows = fanOut?.edges.map(({ node }) => node) ?? [];
  const { listed, usual } = arrangeFates(rows);
  const [all, setAll] = useState(false);
  return (
    <>
      {error && <Failure error={error} retry={readAgain} />}
      {fanOut && <Summary rows={rows} more={fanOut.pageInfo.hasNextPage} />}
      {fanOut && rows.length > 0 && (
        <Card title={<Trans>Recipients</Trans>} flush>
          <List
            label={t`Endpoints`}
            columns={columns}
            rows={all ? [...listed, ...usual] : listed}
            keyOf={({ webhookId }) => webhookId}
            onOpen={({ delivery, webhook }) =>
              delivery ? go(`/deliveries/${delivery.databaseId}`) : webhook && go(`/endpoints/${webhook.databaseId}`)
            }
          />
          {usual.length > 0 && (
            <div className="flex items-center justify-between gap-2 border-t border-line py-1.5 ps-3.5 pe-2 text-sm text-soft">
              <Plural value={usual.length} one="# is not subscribed." other="# are not subscribed." />
              <Button look="quiet" onClick={() => setAll(!all)}>
                {all ? <Trans>Hide them</Trans> : <Trans>Show them</Trans>}
              </Button>
            </div>
          )}
          <More shown={rows.length} page={fanOut.pageInfo} busy={fetching} onMore={setAfter} />
        </Card>
      )}
      {fanOut || error ? children : <Skeleton heights={['h-12', 'h-64']} />}
    </>
  );
}

function Summary({ rows, more }: { rows: readonly Row[]; more: boolean }) {
  const { t, i18n } = useLingui();
  const statuses = rows.flatMap(({ delivery }) => (delivery ? [delivery.status] : []));
  const parts = tally(WORST_FIRST, statuses)
    .toReversed()
    .map(({ value, times }) => `${count(times)} ${i18n._(DELIVERY_STATES[value].name).toLowerCase()}`);
  return (
    <Answer tone={toneOf(statuses)}>
      <p className="font-medium">
        {rows.length === 0 ? (
          <Trans>No endpoint existed when the event was emitted.</Trans>
        ) : statuses.length === 0 ? (
          <Trans>No endpoint got this event.</Trans>
        ) : (
          <Trans>
            It went to {count(statuses.length)} of <Plural value={rows.length} one="# endpoint" other="# endpoints" />:{' '}
            {parts.join(t`, `)}.
          </Trans>
        )}
      </p>
      {more && (
        <p className="text-sm text-soft">
          <Trans>This covers the newest {count(rows.length)} endpoints. The list below has more.</Trans>
        </p>
      )}
    </Answer>
  );
}

function useColumns(event: EventRowFragment, onFixed: () => void): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(() => {
    const fix = (row: Row) => <Fix row={row} event={event} onFixed={onFixed} />;
    const whyOf = (row: Row) => <Why row={row} eventType={event.eventType} />;
    const [endpoint, why] = subjectAndReason<Row>(
      {
        name: t`Endpoint`,
        render: (row) => <EndpointLink webhook={row.webhook} otherwise={t`${row.webhookId}, deleted`} />,
      },
      { name: t`Why`, wide: 'wraps', from: 'md', card: 'none', render: whyOf },
      (row) => (
        <>
          {whyOf(row)}
          <span className="mt-1 flex flex-wrap gap-1.5">{fix(row)}</span>
        </>
      ),
    );
    return [
      endpoint,
      {
        name: t`Delivery`,
        card: 'corner',
        render: ({ delivery }) =>
          delivery ? (
            <Link to={`/deliveries/${delivery.databaseId}`} className="no-underline hover:brightness-90">
              <DeliveryBadge {...delivery} />
            </Link>
          ) : (
            <Badge tone="calm">{t`Not sent`}</Badge>
          ),
      },
      why,
      {
        name: t`What to do`,
        bare: true,
        figures: true,
        from: 'md',
        card: 'none',
        render: (row) => <span className="-my-1 inline-flex gap-1.5">{fix(row)}</span>,
      },
    ];
  }, [t, event, onFixed]);
}

function Why({ row: { delivery, reason, failedCondition }, eventType }: { row: Row; eventType: string }) {
  if (delivery) {
    return <DeliveryWords delivery={delivery} />;
  }
  return reason ? <ReasonWords reason={reason} eventType={eventType} failedCondition={failedCondition} /> : null;
}

function Fix({ row, event, onFixed }: { row: Row; event: EventRowFragment; onFixed: () => void }) {
  const { webhook = null, reason = null } = row;
  return <FixAction event={event} webhook={webhook} reason={reason} onFixed={onFixed} />;
}
