import { Trans, useLingui } from '@lingui/react/macro';
import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import type { KeyRowFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { TimeOrNever } from '../../parts/cells';
import { type Column, List, More, usePage } from '../../parts/list';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { useAddress } from '../../parts/place';
import { Select } from '../../parts/select';
import { TableSkeleton } from '../../parts/skeleton';
import { Badge } from '../../parts/status';
import { Time, useClock } from '../../parts/time';
import { useAllowed, useViewer } from '../../parts/viewer';
import { PortalSessions } from '../tenants/portal-sessions';
import { ConsoleSessions } from './console-sessions';
import { CreateKey } from './create-key';
import { KEYS } from './documents';
import { KeyName } from './key-name';
import { RevokeKey } from './revoke-key';
import { ScopeList } from './scope-list';

const FILTERS = {
  active: { active: true, consoleSession: false },
  ended: { active: false, consoleSession: false },
  all: { consoleSession: false },
} as const;

type FilterName = keyof typeof FILTERS;

/** The API keys of a tenant: what each may do, when it was last used, and the way to end it. */
export default function Keys() {
  const { t } = useLingui();
  const { tenant } = useViewer();
  const mayChange = useAllowed(tenant == null ? 'platform:admin' : 'keys:admin');
  const [address, setAddress] = useAddress();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<KeyRowFragment>();
  const { state: asked } = address;
  const state = asked !== undefined && Object.hasOwn(FILTERS, asked) ? asked : 'active';
  const [after, setAfter] = usePage(state);
  const [{ data, error, fetching }, read] = useQuery({
    query: KEYS,
    variables: { after, filter: FILTERS[state as FilterName] },
  });
  const rows = data?.apiKeys?.edges.map(({ node }) => node) ?? [];
  const columns = useColumns(mayChange ? setRevoking : null);
  const create = mayChange && (
    <Button look="primary" icon={<Plus />} onClick={() => setCreating(true)}>
      <Trans>Create a key</Trans>
    </Button>
  );
  return (
    <>
      <PageHead
        title={tenant == null ? t`Platform keys` : t`Keys`}
        actions={
          <>
            <Select
              label={t`State`}
              value={state as FilterName}
              onChange={(next) => setAddress({ state: next === 'active' ? undefined : next })}
              options={[
                { value: 'active', name: t`Active keys` },
                { value: 'ended', name: t`Revoked or expired` },
                { value: 'all', name: t`All keys` },
              ]}
            />
            {create}
          </>
        }
      />
      {error && <Failure error={error} retry={read} />}
      {data === undefined && error === undefined && <TableSkeleton />}
      {data?.apiKeys && (
        <Card flush>
          <List
            label={t`Keys`}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            empty={
              <Empty title={<Trans>No keys</Trans>} action={create}>
                <Trans>A key lets your program use the API: emit events, read deliveries, and more.</Trans>
              </Empty>
            }
            more={<More shown={rows.length} page={data.apiKeys.pageInfo} busy={fetching} onMore={setAfter} />}
          />
        </Card>
      )}
      {(data ?? error) && (tenant == null ? <ConsoleSessions /> : <PortalSessionsCard />)}
      {creating && <CreateKey onClose={() => setCreating(false)} />}
      <RevokeKey apiKey={revoking} onClose={() => setRevoking(undefined)} />
    </>
  );
}

/** The links to the portal, under which people do what a key does for programs. */
function PortalSessionsCard() {
  return (
    <div className="mt-4">
      <Card title={<Trans>Portal sessions</Trans>}>
        <p className="mb-3.5 text-sm text-soft">
          <Trans>Portal users have a session, not a key. Revoke it here to end it.</Trans>
        </p>
        <PortalSessions />
      </Card>
    </div>
  );
}

function useColumns(onRevoke: ((key: KeyRowFragment) => void) | null): Column<KeyRowFragment>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      { name: t`Name`, render: (key) => <KeyName apiKey={key} /> },
      { name: t`Permissions`, wide: true, from: 'md', render: ({ scopes }) => <ScopeList scopes={scopes} /> },
      { name: t`State`, card: 'unnamed', render: (key) => <KeyBadge apiKey={key} /> },
      { name: t`Last used`, from: 'sm', render: ({ lastUsedAt }) => <TimeOrNever value={lastUsedAt} /> },
      { name: t`Expires`, from: 'md', render: ({ expiresAt }) => <TimeOrNever value={expiresAt} /> },
      { name: t`Created`, from: 'lg', render: ({ createdAt }) => <Time value={createdAt} /> },
      {
        name: t`Revoke`,
        bare: true,
        figures: true,
        render: (key) =>
          onRevoke !== null &&
          key.revokedAt == null && (
            <span className="-my-1 inline-flex">
              <Button look="quiet" onClick={() => onRevoke(key)}>
                <Trans>Revoke</Trans>
              </Button>
            </span>
          ),
      },
    ],
    [t, onRevoke],
  );
}

function KeyBadge({ apiKey: { revokedAt, expiresAt } }: { apiKey: KeyRowFragment }) {
  const { t } = useLingui();
  const expired = useClock((now) => expiresAt != null && Date.parse(expiresAt) <= now);
  if (revokedAt != null) {
    return <Badge tone="calm">{t`Revoked`}</Badge>;
  }
  return expired ? <Badge tone="calm">{t`Expired`}</Badge> : <Badge tone="good">{t`Active`}</Badge>;
}
