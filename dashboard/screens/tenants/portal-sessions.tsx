import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useCallback, useMemo } from 'react';
import { useMutation, useQuery } from 'urql';
import type { PortalCapability, PortalSessionRowFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { type Column, List } from '../../parts/list';
import { Failure } from '../../parts/page';
import { Time } from '../../parts/time';
import { useAllowed } from '../../parts/viewer';
import { PORTAL_SESSIONS, REVOKE_PORTAL_SESSION } from './documents';

const CAPABILITIES: Record<PortalCapability, MessageDescriptor> = {
  VIEW: msg`look`,
  MANAGE_ENDPOINTS: msg`manage endpoints`,
  SEND: msg`test and resend`,
  SEE_SECRETS: msg`see secrets`,
  BULK: msg`bulk operations`,
  MANAGE_KEYS: msg`manage keys`,
};

/** The portal sessions that can be used now; each can be revoked. */
export function PortalSessions() {
  const { t } = useLingui();
  const [{ data, error }] = useQuery({ query: PORTAL_SESSIONS });
  const [{ error: refused }, revoke] = useMutation(REVOKE_PORTAL_SESSION);
  const onRevoke = useCallback((id: string) => void revoke({ id }), [revoke]);
  const columns = useColumns(useAllowed('keys:admin') ? onRevoke : null);
  const rows = data?.portalSessions?.edges.map(({ node }) => node) ?? [];
  const shown = error ?? refused;
  return (
    <>
      {shown && <Failure error={shown} />}
      {rows.length > 0 && (
        <div className="-mx-3.5 -mb-3.5 border-t border-line">
          <List label={t`Open portal sessions`} columns={columns} rows={rows} keyOf={({ id }) => id} />
        </div>
      )}
    </>
  );
}

function useColumns(onRevoke: ((id: string) => void) | null): Column<PortalSessionRowFragment>[] {
  const { t, i18n } = useLingui();
  return useMemo(
    () => [
      {
        name: t`May`,
        wide: true,
        render: ({ capabilities }) => capabilities.map((one) => i18n._(CAPABILITIES[one])).join(', '),
      },
      {
        name: t`Opened`,
        from: 'sm',
        render: ({ status }) => (status === 'WAITING' ? t`not yet` : t`yes`),
      },
      { name: t`Created`, from: 'md', render: ({ createdAt }) => <Time value={createdAt} /> },
      { name: t`Ends`, render: ({ expiresAt }) => <Time value={expiresAt} /> },
      {
        name: t`Action`,
        bare: true,
        render: ({ id }) =>
          onRevoke !== null && (
            <Button look="quiet" onClick={() => onRevoke(id)}>
              <Trans>Revoke</Trans>
            </Button>
          ),
      },
    ],
    [t, i18n, onRevoke],
  );
}
