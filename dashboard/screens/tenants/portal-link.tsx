import { Trans, useLingui } from '@lingui/react/macro';
import { ExternalLink, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { PortalCapability } from '../../api/generated/graphql';
import { Button, buttonLook } from '../../parts/button';
import { Code } from '../../parts/code';
import { Dialog } from '../../parts/dialog';
import { Select } from '../../parts/field';
import { Card, Failure } from '../../parts/page';
import { useAllowed } from '../../parts/viewer';
import { CREATE_PORTAL_SESSION } from './documents';
import { Invite } from './invite';
import { PortalSessions } from './portal-sessions';

const RIGHTS = {
  view: ['VIEW'],
  send: ['VIEW', 'SEND'],
  all: ['VIEW', 'MANAGE_ENDPOINTS', 'SEND', 'SEE_SECRETS', 'BULK', 'MANAGE_KEYS'],
} as const satisfies Record<string, readonly PortalCapability[]>;

/** Opens the portal as the tenant's own people see it, invites them, and lists their sessions. */
export function PortalLink() {
  const [invites, setInvites] = useState(false);
  const mayInvite = useAllowed('platform:support');
  return (
    <Card
      title={<Trans>Portal</Trans>}
      actions={
        mayInvite && (
          <>
            <OwnLook />
            <Button look="primary" icon={<UserPlus />} onClick={() => setInvites(true)}>
              <Trans>Invite</Trans>
            </Button>
          </>
        )
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-soft">
          <Trans>
            A link is for you: it works once, within 60 seconds. An invitation is for the tenant's people: it works
            once, within days.
          </Trans>
        </p>
        <PortalSessions />
      </div>
      <Invite open={invites} onClose={() => setInvites(false)} />
    </Card>
  );
}

/** Makes a link for whoever presses the button. */
function OwnLook() {
  const { t } = useLingui();
  const [rights, setRights] = useState<keyof typeof RIGHTS>('view');
  const [{ data, error, fetching }, create] = useMutation(CREATE_PORTAL_SESSION);
  const [shown, setShown] = useState(false);
  const make = async () => {
    await create({ capabilities: [...RIGHTS[rights]], invitationDays: null });
    setShown(true);
  };
  return (
    <>
      <Select
        label={t`What the session may do`}
        value={rights}
        onChange={setRights}
        options={[
          { value: 'view', name: t`May look` },
          { value: 'send', name: t`May look, test and resend` },
          { value: 'all', name: t`May do everything` },
        ]}
      />
      <Button onClick={() => void make()} disabled={fetching}>
        <Trans>Make a link</Trans>
      </Button>
      <Dialog
        open={shown}
        onClose={() => setShown(false)}
        title={<Trans>A link to the portal</Trans>}
        actions={
          data && (
            <a
              href={data.createPortalSession.url}
              target="_blank"
              rel="noopener"
              className={buttonLook('primary')}
              onClick={() => setShown(false)}
            >
              <ExternalLink aria-hidden />
              <Trans>Open it in a new tab</Trans>
            </a>
          )
        }
      >
        {error && <Failure error={error} />}
        {data && (
          <>
            <p className="mb-2 text-sm text-soft">
              <Trans>It is shown this once. The first person who opens it, within 60 seconds, is signed in.</Trans>
            </p>
            <Code text={data.createPortalSession.url} name={t`link`} wrap />
          </>
        )}
      </Dialog>
    </>
  );
}
