import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useCallback, useMemo, useState } from 'react';
import { useMutation, useQuery } from 'urql';
import type { PortalCapability, PortalSessionRowFragment, PortalSessionStatus } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { type Column, List } from '../../parts/list';
import { Failure } from '../../parts/page';
import { Select } from '../../parts/select';
import { type State, StateBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { ACTOR_WORDS } from '../audit/words';
import { PORTAL_SESSIONS, REVOKE_PORTAL_SESSION } from './documents';

const CAPABILITIES: Record<PortalCapability, MessageDescriptor> = {
  VIEW: msg`view`,
  MANAGE_ENDPOINTS: msg`manage endpoints`,
  MANAGE_OPTIONS: msg`manage delivery options and notices`,
  SEND: msg`test and resend`,
  SEE_SECRETS: msg`see secrets`,
  BULK: msg`bulk operations`,
  MANAGE_KEYS: msg`manage keys`,
};

const STATES: Record<PortalSessionStatus, State> = {
  WAITING: { name: msg`Not opened yet`, tone: 'info' },
  ACTIVE: { name: msg`Open`, tone: 'good' },
  UNOPENED: { name: msg`Never opened`, tone: 'calm' },
  EXPIRED: { name: msg`Expired`, tone: 'calm' },
  REVOKED: { name: msg`Revoked`, tone: 'calm' },
};

/** The portal sessions and invitations of a tenant, with their makers. What can still be used can be revoked. */
export function PortalSessions() {
  const { t } = useLingui();
  const [state, setState] = useState<'active' | 'ended'>('active');
  const [{ data, error }] = useQuery({ query: PORTAL_SESSIONS, variables: { active: state === 'active' } });
  const [{ error: refused }, revoke] = useMutation(REVOKE_PORTAL_SESSION);
  const onRevoke = useCallback((id: string) => void revoke({ id }), [revoke]);
  const columns = useColumns(useAllowed('keys:admin') && state === 'active' ? onRevoke : null);
  const rows = data?.portalSessions?.edges.map(({ node }) => node) ?? [];
  const shown = error ?? refused;
  return (
    <>
      {shown && <Failure error={shown} />}
      <div className="mb-3">
        <Select
          label={t`State of the sessions`}
          value={state}
          onChange={setState}
          options={[
            { value: 'active', name: t`Open sessions` },
            { value: 'ended', name: t`Ended sessions` },
          ]}
        />
      </div>
      {rows.length > 0 ? (
        <div className="-mx-3.5 -mb-3.5 border-t border-line">
          <List
            label={state === 'active' ? t`Open portal sessions` : t`Ended portal sessions`}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
          />
        </div>
      ) : (
        data !== undefined && (
          <p className="text-sm text-soft">
            <Trans>No sessions.</Trans>
          </p>
        )
      )}
    </>
  );
}

function useColumns(onRevoke: ((id: string) => void) | null): Column<PortalSessionRowFragment>[] {
  const { t, i18n } = useLingui();
  return useMemo(
    () => [
      { name: t`State`, render: (session) => <SessionState session={session} /> },
      {
        name: t`Permissions`,
        wide: true,
        from: 'sm',
        render: ({ capabilities }) => capabilities.map((one) => i18n._(CAPABILITIES[one])).join(', '),
      },
      { name: t`Created by`, from: 'sm', render: (session) => <Maker session={session} /> },
      { name: t`Created`, from: 'md', render: ({ createdAt }) => <Time value={createdAt} /> },
      {
        name: t`Ends`,
        render: ({ status, openUntil, expiresAt }) => (
          <Time value={status === 'WAITING' || status === 'UNOPENED' ? openUntil : expiresAt} />
        ),
      },
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

function SessionState({ session: { status, invitationDays } }: { session: PortalSessionRowFragment }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <StateBadge state={STATES[status]} />
      {invitationDays != null && (
        <span className="text-xs text-soft">
          <Trans>Invitation</Trans>
        </span>
      )}
    </span>
  );
}

function Maker({ session }: { session: PortalSessionRowFragment }) {
  const { i18n } = useLingui();
  const { createdBy, createdByKeyId, createdByName } = session;
  if (createdByName != null && createdBy !== 'PORTAL_SESSION') {
    return <Untrusted text={createdByName} />;
  }
  return (
    <>
      {createdBy != null && i18n._(ACTOR_WORDS[createdBy])}{' '}
      {createdByKeyId != null && <code className="font-mono text-xs">{createdByKeyId}</code>}
    </>
  );
}
