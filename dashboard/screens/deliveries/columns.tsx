import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { Column } from '../../parts/list';
import { Link } from '../../parts/place';
import { DeliveryBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { count } from '../../text/numbers';
import type { Row } from './use-feed';

export function useColumns(): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`State`,
        width: 'w-28',
        render: ({ status, attemptCount }) => <DeliveryBadge status={status} attemptCount={attemptCount} />,
      },
      {
        name: t`Event type`,
        wide: true,
        render: ({ databaseId, eventType }) => (
          <Link
            to={`/deliveries/${databaseId}`}
            className="font-medium text-ink no-underline hover:underline"
          >
            <Untrusted text={eventType} />
          </Link>
        ),
      },
      {
        name: t`Endpoint`,
        from: 'md',
        wide: true,
        width: 'w-[30%]',
        render: ({ webhook }) =>
          webhook ? (
            <Link
              to={`/endpoints/${webhook.databaseId}`}
              className="text-soft no-underline hover:text-ink hover:underline"
            >
              <Untrusted text={webhook.url.replace(/^https:\/\//, '')} />
            </Link>
          ) : (
            <span className="text-faint">{t`deleted`}</span>
          ),
      },
      {
        name: t`Answer`,
        from: 'sm',
        wide: true,
        width: 'w-44',
        render: ({ lastStatusCode, lastErrorCode }) => (
          <code className={`figures font-mono text-xs ${lastErrorCode == null ? 'text-soft' : 'text-bad'}`}>
            {lastErrorCode ?? lastStatusCode ?? '–'}
          </code>
        ),
      },
      {
        name: t`Attempts`,
        figures: true,
        from: 'lg',
        width: 'w-20',
        render: ({ attemptCount }) => count(attemptCount),
      },
      {
        name: t`Next attempt`,
        from: 'lg',
        width: 'w-28',
        render: ({ nextAttemptAt }) =>
          nextAttemptAt ? <Time value={nextAttemptAt} /> : <span className="text-faint">–</span>,
      },
      {
        name: t`Made`,
        figures: true,
        width: 'w-22 sm:w-28',
        render: ({ createdAt }) => <Time value={createdAt} />,
      },
    ],
    [t],
  );
}
