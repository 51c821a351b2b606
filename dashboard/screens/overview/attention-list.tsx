import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import type { EndpointRowFragment } from '../../api/generated/graphql';
import type { Pressing } from '../../parts/attention';
import { EndpointLink, HeldCount } from '../../parts/cells';
import type { Column } from '../../parts/list';
import { useGo } from '../../parts/place';
import { subjectAndReason } from '../../parts/reason-column';
import { WebhookBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { WorstCard } from '../../parts/worst-card';

interface Row {
  endpoint: EndpointRowFragment;
  reason: Pressing;
}

/** The endpoints that need somebody: what is wrong with each, and the way to it. */
export function AttentionList({ pressing }: { pressing: readonly Row[] }) {
  const { t } = useLingui();
  const go = useGo();
  const columns = useColumns();
  return (
    <WorstCard
      title={<Trans>Endpoints needing attention</Trans>}
      showAll={<Trans>Show all {pressing.length}</Trans>}
      label={t`Endpoints needing attention`}
      columns={columns}
      rows={pressing}
      keyOf={({ endpoint }) => endpoint.id}
      onOpen={({ endpoint }) => go(`/endpoints/${endpoint.databaseId}`)}
    />
  );
}

function useColumns(): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(() => {
    const [subject, problem] = subjectAndReason<Row>(
      { name: t`Endpoint`, wide: true, render: ({ endpoint }) => <EndpointLink webhook={endpoint} /> },
      { name: t`Problem`, from: 'md', card: 'none', render: (row) => <What {...row} /> },
    );
    return [
      subject,
      { name: t`State`, card: 'unnamed', render: ({ endpoint }) => <WebhookBadge webhook={endpoint} /> },
      problem,
      { name: t`Held`, figures: true, render: ({ endpoint }) => <HeldCount held={endpoint.heldCount} /> },
    ];
  }, [t]);
}

function What({ endpoint, reason }: Row) {
  switch (reason) {
    case 'GONE':
      return (
        <Trans>
          It answered 410 Gone {endpoint.disabledAt && <Time value={endpoint.disabledAt} />}, so nothing is sent there.
        </Trans>
      );
    case 'DISABLED':
      return (
        <Trans>
          Ten attempts failed in a row, so it was disabled {endpoint.disabledAt && <Time value={endpoint.disabledAt} />}
          .
        </Trans>
      );
    case 'UNVERIFIED':
      return <Trans>It has not proved that it wants deliveries, so they are held.</Trans>;
    case 'FAILING':
      return (
        <Plural
          value={endpoint.consecutiveFailures}
          one="# attempt failed. Ten in a row disable the endpoint."
          other="# attempts failed in a row. Ten disable the endpoint."
        />
      );
  }
}
