import { Trans, useLingui } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import type { WhatGoesQuery } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { TextField } from '../../parts/field';
import { useForm } from '../../parts/form';
import { Fact, Facts, Failure } from '../../parts/page';
import { notify } from '../../parts/toast';
import { Untrusted } from '../../parts/untrusted';
import { countUpTo } from '../../text/numbers';
import { DELETE_TENANT, WHAT_GOES } from './documents';

interface TenantProps {
  tenant: { id: string; name: string };
}

/** Deletes a tenant, after it has said in numbers what goes with it, and its name was typed. */
export function DeleteTenant({ tenant }: TenantProps) {
  const [asked, setAsked] = useState(false);
  return (
    <section aria-labelledby="danger" className="mt-2 rounded-lg border border-bad/25 bg-surface p-3.5">
      <h2 id="danger" className="text-sm font-semibold text-bad">
        <Trans>Danger</Trans>
      </h2>
      <h3 className="mt-2 text-sm font-medium">
        <Trans>Delete this tenant</Trans>
      </h3>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-72 text-sm text-soft">
          <Trans>
            Deletes the tenant and its endpoints, revokes its keys within 5 seconds, and cancels pending deliveries. Its
            events and deliveries can no longer be read. This cannot be undone.
          </Trans>
        </p>
        <Button look="danger" onClick={() => setAsked(true)}>
          <Trans>Delete the tenant</Trans>
        </Button>
      </div>
      {asked && <Deletion tenant={tenant} onClose={() => setAsked(false)} />}
    </section>
  );
}

function Deletion({ tenant, onClose }: TenantProps & { onClose: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [{ data, error: unread }, again] = useQuery({ query: WHAT_GOES });
  const [, remove] = useMutation(DELETE_TENANT);
  const form = useForm({
    initial: { name: '' },
    save: ({ name }) => remove({ id: tenant.id, name }),
    saved: () => {
      notify(t`The tenant is deleted.`);
      void navigate({ to: '/tenants' as string, replace: true });
    },
  });
  return (
    <Confirm
      open
      onClose={onClose}
      title={
        <Trans>
          Delete <Untrusted text={tenant.name} />?
        </Trans>
      }
      action={t`Delete the tenant`}
      busy={form.busy || form.values.name !== tenant.name}
      error={form.error}
      onConfirm={form.submit}
    >
      <div className="flex flex-col gap-3">
        {unread && <Failure error={unread} retry={again} />}
        {data && <WhatGoes found={data} />}
        <TextField
          {...form.field('name')}
          name={
            <Trans>
              To confirm, type <Untrusted text={tenant.name} />
            </Trans>
          }
        />
      </div>
    </Confirm>
  );
}

function WhatGoes({ found: { webhooks, apiKeys, backlog } }: { found: WhatGoesQuery }) {
  const open = (backlog?.due ?? 0) + (backlog?.scheduled ?? 0);
  const most = backlog?.countMax ?? 1;
  return (
    <Facts>
      <Fact name={<Trans>Endpoints deleted</Trans>}>{countUpTo(webhooks?.edges.length ?? 0, 100)}</Fact>
      <Fact name={<Trans>API keys revoked</Trans>}>{countUpTo(apiKeys?.edges.length ?? 0, 100)}</Fact>
      <Fact name={<Trans>Pending deliveries canceled</Trans>}>{countUpTo(open, most)}</Fact>
      <Fact name={<Trans>Held deliveries canceled</Trans>}>{countUpTo(backlog?.held ?? 0, most)}</Fact>
    </Facts>
  );
}
