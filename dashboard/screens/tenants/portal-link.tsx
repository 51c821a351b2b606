import { Trans, useLingui } from '@lingui/react/macro';
import { ExternalLink, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { PortalCapability } from '../../api/generated/graphql';
import { Button, buttonLook } from '../../parts/button';
import { Code } from '../../parts/code';
import { Dialog } from '../../parts/dialog';
import { useForm } from '../../parts/form';
import { Card, Failure } from '../../parts/page';
import { Select } from '../../parts/select';
import { useAllowed } from '../../parts/viewer';
import { CREATE_PORTAL_SESSION } from './documents';
import { Invite } from './invite';
import { PortalSessions } from './portal-sessions';

const RIGHTS = {
  view: ['VIEW'],
  send: ['VIEW', 'SEND'],
  all: ['VIEW', 'MANAGE_ENDPOINTS', 'MANAGE_OPTIONS', 'SEND', 'SEE_SECRETS', 'BULK', 'MANAGE_KEYS'],
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

/** Creates a link for the person who presses the button. */
function OwnLook() {
  const { t } = useLingui();
  const [, create] = useMutation(CREATE_PORTAL_SESSION);
  const [url, setUrl] = useState<string>();
  const form = useForm({
    initial: { rights: 'view' as keyof typeof RIGHTS },
    save: ({ rights }) => create({ capabilities: [...RIGHTS[rights]], invitationDays: null }),
    saved: ({ createPortalSession }) => setUrl(createPortalSession.url),
  });
  return (
    <>
      <Select
        {...form.field('rights')}
        label={t`Permissions of the session`}
        options={[
          { value: 'view', name: t`View only` },
          { value: 'send', name: t`View, test and resend` },
          { value: 'all', name: t`Everything` },
        ]}
      />
      <Button onClick={() => form.submit()} disabled={form.busy}>
        <Trans>Create a link</Trans>
      </Button>
      {form.error && <Failure error={form.error} />}
      {url !== undefined && <NewLink url={url} onClose={() => setUrl(undefined)} />}
    </>
  );
}

function NewLink({ url, onClose }: { url: string; onClose: () => void }) {
  const { t } = useLingui();
  return (
    <Dialog
      open
      onClose={onClose}
      title={<Trans>Portal link</Trans>}
      actions={
        <a href={url} target="_blank" rel="noopener" className={buttonLook('primary')} onClick={onClose}>
          <ExternalLink aria-hidden />
          <Trans>Open in a new tab</Trans>
        </a>
      }
    >
      <p className="mb-2 text-sm text-soft">
        <Trans>It is shown only once. The first person who opens it, within 60 seconds, is signed in.</Trans>
      </p>
      <Code text={url} name={t`link`} wrap />
    </Dialog>
  );
}
