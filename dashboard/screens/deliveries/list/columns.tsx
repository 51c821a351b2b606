import { useLingui } from '@lingui/react/macro';
import { useMemo, useRef } from 'react';
import { AnswerCode, DeliveryLink, EndpointLink } from '../../../parts/cells';
import { type Column, NoValue } from '../../../parts/list';
import { DeliveryBadge } from '../../../parts/status';
import { Time } from '../../../parts/time';
import { count } from '../../../text/numbers';
import { RowActions, type RowActionsProps } from './row-actions';
import type { Row } from './use-feed';

/** @param actionsOn what can be done with a row; undefined where nothing can. */
export function useColumns(actionsOn: ((row: Row) => RowActionsProps) | undefined): Column<Row>[] {
  const { t } = useLingui();
  // Rows render again when their columns change: the function may be another one each time.
  const latest = useRef(actionsOn);
  latest.current = actionsOn;
  const hasActions = actionsOn !== undefined;
  return useMemo(() => {
    const columns: Column<Row>[] = [
      {
        name: t`State`,
        width: 'w-30 sm:w-32',
        card: 'unnamed',
        render: ({ status, attemptCount }) => <DeliveryBadge status={status} attemptCount={attemptCount} />,
      },
      {
        name: t`Event type`,
        wide: true,
        card: 'title',
        render: (row) => <DeliveryLink delivery={row} />,
      },
      {
        name: t`Endpoint`,
        from: 'md',
        wide: true,
        width: 'w-[26%]',
        render: ({ webhook }) => <EndpointLink webhook={webhook} secondary />,
      },
      {
        name: t`Answer`,
        from: 'sm',
        wide: true,
        width: 'w-44 lg:w-52',
        card: 'unnamed',
        render: (row) => <AnswerCode delivery={row} />,
      },
      {
        name: t`Attempts`,
        figures: true,
        from: 'lg',
        width: 'w-20',
        card: 'none',
        render: ({ attemptCount }) => count(attemptCount),
      },
      {
        name: t`Next attempt`,
        from: 'lg',
        width: 'w-32',
        card: 'unnamed',
        render: ({ nextAttemptAt }) => (nextAttemptAt ? <Time value={nextAttemptAt} next /> : <NoValue />),
      },
      {
        name: t`Created`,
        figures: true,
        width: 'w-22 sm:w-28',
        card: 'corner',
        render: ({ createdAt }) => <Time value={createdAt} />,
      },
    ];
    if (hasActions) {
      columns.push({
        name: t`Actions`,
        bare: true,
        width: 'w-9 sm:w-11',
        render: (row) => latest.current && <RowActions row={row} {...latest.current(row)} />,
      });
    }
    return columns;
  }, [t, hasActions]);
}
