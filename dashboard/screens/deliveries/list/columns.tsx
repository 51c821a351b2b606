import { useLingui } from '@lingui/react/macro';
import { useMemo, useRef } from 'react';
import { AnswerCode, DeliveryLink, EndpointLink } from '../../../parts/cells';
import { type Column, NoValue } from '../../../parts/list';
import { DeliveryBadge } from '../../../parts/status';
import { Time } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { count } from '../../../text/numbers';
import { RowActions, type RowActionsProps } from './row-actions';
import type { Row } from './use-feed';
import { RowPreview } from './use-previews';

type ActionsOn = ((row: Row) => RowActionsProps) | undefined;

/**
 * @param actionsOn what can be done with a row; undefined where nothing can.
 * @param payloads whether there is room for the payloads of events.
 */
export function useColumns(actionsOn: ActionsOn, payloads: boolean): Column<Row>[] {
  const { t } = useLingui();
  const actions = useActionsColumn(actionsOn);
  return useMemo(() => {
    const payload: Column<Row> = {
      name: t`Payload`,
      wide: true,
      card: 'none',
      render: ({ eventId }) => <RowPreview eventId={eventId} />,
    };
    return [
      {
        name: t`State`,
        card: 'unnamed',
        render: ({ status, attemptCount }) => <DeliveryBadge status={status} attemptCount={attemptCount} />,
      },
      {
        name: t`Event type`,
        card: 'title',
        render: (row) => (
          <span className="block max-w-56 truncate max-cards:max-w-none">
            <DeliveryLink delivery={row} />
          </span>
        ),
      },
      ...(payloads ? [payload] : []),
      {
        name: t`Endpoint`,
        from: 'md',
        card: 'line',
        ...(payloads ? {} : { wide: true }),
        render: ({ webhook, path }) => (
          <span className={payloads ? 'block max-w-64 *:block *:truncate *:py-0.5' : ''}>
            <EndpointLink webhook={webhook} secondary />
            {path != null && (
              <code className="block font-mono text-xs break-all text-faint">
                <Untrusted text={path} />
              </code>
            )}
          </span>
        ),
      },
      { name: t`Answer`, from: 'sm', card: 'unnamed', render: (row) => <AnswerCode delivery={row} /> },
      {
        name: t`Attempts`,
        figures: true,
        from: '2xl',
        card: 'none',
        render: ({ attemptCount }) => count(attemptCount),
      },
      {
        name: t`Next attempt`,
        from: 'lg',
        card: 'unnamed',
        render: ({ nextAttemptAt }) => (nextAttemptAt ? <Time value={nextAttemptAt} next /> : <NoValue />),
      },
      { name: t`Created`, figures: true, card: 'corner', render: ({ createdAt }) => <Time value={createdAt} row /> },
      ...(actions ? [actions] : []),
    ];
  }, [t, actions, payloads]);
}

function useActionsColumn(actionsOn: ActionsOn): Column<Row> | undefined {
  const { t } = useLingui();
  // Rows render again when their columns change: the function may be another one each time.
  const latest = useRef(actionsOn);
  latest.current = actionsOn;
  const hasActions = actionsOn !== undefined;
  return useMemo(
    () =>
      hasActions
        ? {
            name: t`Actions`,
            bare: true,
            render: (row) => latest.current && <RowActions row={row} {...latest.current(row)} />,
          }
        : undefined,
    [t, hasActions],
  );
}
