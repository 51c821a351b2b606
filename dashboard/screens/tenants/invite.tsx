import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { CreatePortalSessionMutation, PortalCapability } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { Code } from '../../parts/code';
import { Dialog } from '../../parts/dialog';
import { useForm } from '../../parts/form';
import { Answer, Failure } from '../../parts/page';
import { Select } from '../../parts/select';
import { useViewer } from '../../parts/viewer';
import { formatter } from '../../text/formats';
import { locale } from '../../text/language';
import { CREATE_PORTAL_SESSION } from './documents';

const RIGHTS = {
  view: ['VIEW'],
  send: ['VIEW', 'SEND'],
  all: ['VIEW', 'MANAGE_ENDPOINTS', 'MANAGE_OPTIONS', 'SEND', 'SEE_SECRETS', 'BULK'],
} as const satisfies Record<string, readonly PortalCapability[]>;

const DAYS = ['1', '3', '7'] as const;

type Invitation = CreatePortalSessionMutation['createPortalSession'];

/** Invites a person of the tenant to the portal: makes a link, and the text to send it with. */
export function Invite({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [made, setMade] = useState<Invitation>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      stays={made !== undefined}
      title={made === undefined ? <Trans>Invite to the portal</Trans> : <Trans>Send the invitation</Trans>}
    >
      {made === undefined ? <InviteForm onMade={setMade} /> : <InvitationText invitation={made} onDone={close} />}
    </Dialog>
  );
}

function InviteForm({ onMade }: { onMade: (invitation: Invitation) => void }) {
  const { t } = useLingui();
  const [, create] = useMutation(CREATE_PORTAL_SESSION);
  const form = useForm({
    initial: { rights: 'view' as keyof typeof RIGHTS, days: '7' as (typeof DAYS)[number] },
    save: ({ rights, days }) => create({ capabilities: [...RIGHTS[rights]], invitationDays: Number(days) }),
    saved: ({ createPortalSession }) => onMade(createPortalSession),
  });
  return (
    <form onSubmit={form.submit} className="flex flex-col gap-3">
      {form.error && <Failure error={form.error} />}
      <p className="text-sm text-soft">
        <Trans>The person opens the link once, and is signed in for up to 24 hours. You can revoke both.</Trans>
      </p>
      <div className="flex flex-wrap gap-2">
        <Select
          label={t`Permissions`}
          {...form.field('rights')}
          options={[
            { value: 'view', name: t`Can view` },
            { value: 'send', name: t`Can view, test and resend` },
            { value: 'all', name: t`Can do everything except keys` },
          ]}
        />
        <Select
          label={t`How long the invitation works`}
          {...form.field('days')}
          options={[
            { value: '1', name: t`Valid for a day` },
            { value: '3', name: t`Valid for 3 days` },
            { value: '7', name: t`Valid for 7 days` },
          ]}
        />
      </div>
      <div className="flex justify-end">
        <Button type="submit" look="primary" disabled={form.busy}>
          <Trans>Create the invitation</Trans>
        </Button>
      </div>
    </form>
  );
}

/** The reader may be in another zone. */
const inUtc = (value: string) =>
  formatter(Intl.DateTimeFormat, locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(
    new Date(value),
  );

function InvitationText({ invitation: { url, session }, onDone }: { invitation: Invitation; onDone: () => void }) {
  const { t } = useLingui();
  const tenant = useViewer().tenant?.name ?? '';
  const until = inUtc(session.openUntil);
  const text = [
    t`You are invited to the webhook portal of ${tenant}.`,
    t`Open this link and press “Open the portal”:`,
    url,
    t`It works once, until ${until} UTC.`,
  ].join('\n');
  return (
    <div className="flex flex-col gap-3">
      <Answer tone="warn">
        <Trans>Copy the text now: the link is not shown again. The first person who opens it is signed in.</Trans>
      </Answer>
      <Code text={text} name={t`invitation`} wrap />
      <div className="flex justify-end">
        <Button look="primary" onClick={onDone}>
          <Trans>I have copied it</Trans>
        </Button>
      </div>
    </div>
  );
}
