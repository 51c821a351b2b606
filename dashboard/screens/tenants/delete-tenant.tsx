import { Trans, useLingui } from '@lingui/react/macro';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import type { WhatGoesQuery } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { Field, TextInput } from '../../parts/field';
import { Card, Fact, Facts, Failure } from '../../parts/page';
import { notify } from '../../parts/toast';
import { Untrusted } from '../../parts/untrusted';
import { countUpTo } from '../../text/numbers';
import { DELETE_TENANT, WHAT_GOES } from './documents';

/** Deletes a tenant, after it has said in numbers what goes with it, and its name was typed. */
export function DeleteTenant({ tenant }: { tenant: { id: string; name: string } }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const [asked, setAsked] = useState(false);
  const [typed, setTyped] = useState('');
  const [{ data, error: unread }, again] = useQuery({ query: WHAT_GOES });
  const [{ error, fetching }, remove] = useMutation(DELETE_TENANT);
  const isNamed = typed === tenant.name;
  const confirm = async () => {
    if (!isNamed) {
      return;
    }
    const result = await remove({ id: tenant.id, name: typed });
    if (result.data) {
      notify(t`The tenant is deleted.`);
      void navigate({ to: '/tenants' as string, replace: true });
    }
  };
  const close = () => {
    setAsked(false);
    setTyped('');
  };
  return (
    <Card title={<Trans>Danger</Trans>}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-72 text-sm text-soft">
          <Trans>
            Deletes the tenant for good: its keys are refused within 5 seconds, its endpoints are deleted, and what is
            still to be sent is canceled. Nobody reaches its events and deliveries any more.
          </Trans>
        </p>
        <Button look="danger" onClick={() => setAsked(true)}>
          <Trans>Delete the tenant</Trans>
        </Button>
      </div>
      <Confirm
        open={asked}
        onClose={close}
        title={
          <Trans>
            Delete <Untrusted text={tenant.name} />?
          </Trans>
        }
        action={t`Delete the tenant`}
        busy={fetching || !isNamed}
        error={error}
        onConfirm={() => void confirm()}
      >
        <div className="flex flex-col gap-3">
          {unread && <Failure error={unread} retry={again} />}
          {data && <WhatGoes found={data} />}
          <Field
            name={
              <Trans>
                To confirm, type <Untrusted text={tenant.name} />
              </Trans>
            }
          >
            {(props) => <TextInput {...props} value={typed} onChange={({ target }) => setTyped(target.value)} />}
          </Field>
        </div>
      </Confirm>
    </Card>
  );
}

function WhatGoes({ found: { webhooks, apiKeys, backlog } }: { found: WhatGoesQuery }) {
  const open = (backlog?.due ?? 0) + (backlog?.scheduled ?? 0);
  const most = backlog?.countMax ?? 1;
  return (
    <Facts>
      <Fact name={<Trans>Endpoints that are deleted</Trans>}>{countUpTo(webhooks?.edges.length ?? 0, 100)}</Fact>
      <Fact name={<Trans>API keys that are revoked</Trans>}>{countUpTo(apiKeys?.edges.length ?? 0, 100)}</Fact>
      <Fact name={<Trans>Pending deliveries that are canceled</Trans>}>{countUpTo(open, most)}</Fact>
      <Fact name={<Trans>Held deliveries that are canceled</Trans>}>{countUpTo(backlog?.held ?? 0, most)}</Fact>
    </Facts>
  );
}
