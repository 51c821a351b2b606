import { Trans, useLingui } from '@lingui/react/macro';
import { ExternalLink } from 'lucide-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import type { PortalCapability } from '../../api/generated/graphql';
import { Button, buttonLook } from '../../parts/button';
import { Code } from '../../parts/code';
import { Dialog } from '../../parts/dialog';
import { Select } from '../../parts/field';
import { Card, Failure } from '../../parts/page';
import { CREATE_PORTAL_SESSION } from './documents';
import { PortalSessions } from './portal-sessions';

const RIGHTS = {
  view: ['VIEW'],
  send: ['VIEW', 'SEND'],
  all: ['VIEW', 'MANAGE_ENDPOINTS', 'SEND', 'SEE_SECRETS', 'BULK', 'MANAGE_KEYS'],
} as const satisfies Record<string, readonly PortalCapability[]>;

/** Makes a link to the portal as the tenant's own people see it, and lists the sessions that are open. */
export function PortalLink() {
  const { t } = useLingui();
  const [rights, setRights] = useState<keyof typeof RIGHTS>('view');
  const [{ data, error, fetching }, create] = useMutation(CREATE_PORTAL_SESSION);
  const [shown, setShown] = useState(false);
  const make = async () => {
    const result = await create({ capabilities: [...RIGHTS[rights]] });
    setShown(result.data != null);
  };
  return (
    <Card
      title={<Trans>Portal</Trans>}
      actions={
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
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-sm text-soft">
          <Trans>
            A link opens the portal as the tenant's own people see it. It works once, within 60 seconds; the session
            ends after an hour.
          </Trans>
        </p>
        {error && <Failure error={error} />}
        <PortalSessions />
      </div>
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
        <p className="mb-2 text-sm text-soft">
          <Trans>It is shown this once. The first person who opens it, within 60 seconds, is signed in.</Trans>
        </p>
        {data && <Code text={data.createPortalSession.url} name={t`link`} wrap />}
      </Dialog>
    </Card>
  );
}
