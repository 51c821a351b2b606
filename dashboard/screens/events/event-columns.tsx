import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { EventsQuery } from '../../api/generated/graphql';
import { SubjectLink } from '../../parts/cells';
import type { Column } from '../../parts/list';
import { PayloadPreview } from '../../parts/payload-preview';
import { Badge, DELIVERY_STATES } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { count } from '../../text/numbers';
import { tally } from '../../text/tally';
import { WORST_FIRST } from './fan-out';

type Row = NonNullable<EventsQuery['events']>['edges'][number]['node'];

/**
 * @param deliveries whether the rows know theirs
 * @param text the text that payloads are searched for
 */
export function useEventColumns(deliveries: boolean, text: string | undefined): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Event type`,
        render: ({ databaseId, eventType, onlyWebhookId }) => (
          <>
            <SubjectLink to={`/events/${databaseId}`}>
              <Untrusted text={eventType} />
            </SubjectLink>
            {onlyWebhookId && <span className="ms-2 text-xs text-faint">{t`for one endpoint`}</span>}
          </>
        ),
      },
      {
        name: t`Payload`,
        wide: true,
        render: ({ preview, erasedAt }) =>
          erasedAt == null ? (
            <PayloadPreview preview={preview} {...(text === undefined ? {} : { text })} />
          ) : (
            <span className="text-faint">{t`Erased`}</span>
          ),
      },
      ...(deliveries
        ? [
            {
              name: t`Deliveries`,
              card: 'unnamed' as const,
              render: (row: Row) => <Deliveries deliveries={row.deliveries} />,
            },
          ]
        : []),
      {
        name: t`Number`,
        from: 'lg',
        card: 'none',
        render: ({ databaseId }) => <span className="figures text-soft">{databaseId}</span>,
      },
      { name: t`When`, figures: true, card: 'corner', render: ({ createdAt }) => <Time value={createdAt} row /> },
    ],
    [t, deliveries, text],
  );
}

/** How many of the newest deliveries of an event are in each state. */
function Deliveries({ deliveries }: { deliveries: Row['deliveries'] | undefined }) {
  const { t, i18n } = useLingui();
  const statuses = deliveries?.edges.map(({ node }) => node.status) ?? [];
  if (statuses.length === 0) {
    return <span className="text-faint">{t`none`}</span>;
  }
  return (
    <span className="inline-flex items-center gap-1">
      {tally(WORST_FIRST, statuses).map(({ value, times }) => {
        const { name, tone, icon } = DELIVERY_STATES[value];
        return (
          <span key={value} title={i18n._(name)}>
            <Badge tone={tone} icon={icon}>
              <span className="figures">{count(times)}</span>
              <span className="sr-only">{i18n._(name)}</span>
            </Badge>
          </span>
        );
      })}
      {deliveries?.pageInfo.hasNextPage && <span className="text-faint">…</span>}
    </span>
  );
}
