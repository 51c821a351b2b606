import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import { HELD_SHOWN_MAX } from '../../../src/domain/health-limits';
import type { EndpointRowFragment } from '../../api/generated/graphql';
import type { Pressing } from '../../parts/attention';
import { Button } from '../../parts/button';
import { EndpointLink } from '../../parts/cells';
import { type Column, List } from '../../parts/list';
import { Card } from '../../parts/page';
import { useGo } from '../../parts/place';
import { WebhookBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { countUpTo } from '../../text/numbers';

interface Row {
  endpoint: EndpointRowFragment;
  reason: Pressing;
}

const SHOWN = 6;

/** The endpoints that need somebody: what is wrong with each, and the way to it. */
export function AttentionList({ pressing }: { pressing: readonly Row[] }) {
  const { t } = useLingui();
  const go = useGo();
  const columns = useColumns();
  const [all, setAll] = useState(false);
  return (
    <Card
      flush
      title={<Trans>Endpoints needing attention</Trans>}
      actions={
        pressing.length > SHOWN && (
          <Button look="quiet" onClick={() => setAll(!all)}>
            {all ? <Trans>Show fewer</Trans> : <Trans>Show all {pressing.length}</Trans>}
          </Button>
        )
      }
    >
      <List
        label={t`Endpoints needing attention`}
        columns={columns}
        rows={all ? pressing : pressing.slice(0, SHOWN)}
        keyOf={({ endpoint }) => endpoint.id}
        onOpen={({ endpoint }) => go(`/endpoints/${endpoint.databaseId}`)}
      />
    </Card>
  );
}

function useColumns(): Column<Row>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      {
        name: t`Endpoint`,
        wide: true,
        render: (row) => (
          <>
            <EndpointLink webhook={row.endpoint} />
            <span className="block text-xs whitespace-normal text-soft md:hidden">
              <What {...row} />
            </span>
          </>
        ),
      },
      { name: t`State`, card: 'unnamed', render: ({ endpoint }) => <WebhookBadge webhook={endpoint} /> },
      { name: t`Problem`, from: 'md', card: 'none', render: (row) => <What {...row} /> },
      {
        name: t`Held`,
        figures: true,
        render: ({ endpoint: { heldCount } }) => (
          <span className={heldCount === 0 ? 'text-faint' : 'font-medium text-warn'}>
            {countUpTo(heldCount, HELD_SHOWN_MAX)}
          </span>
        ),
      },
    ],
    [t],
  );
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
