import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { Button, buttonLook } from '../../../parts/button';
import { Code } from '../../../parts/code';
import { useForm } from '../../../parts/form';
import { Answer, Card, Failure, PageHead } from '../../../parts/page';
import { Link, useAddress, useGo } from '../../../parts/place';
import { useAllowed, useViewer, useWritable } from '../../../parts/viewer';
import { CREATE_ENDPOINT } from '../documents';
import { EndpointFields } from './endpoint-fields';
import { NO_VALUES, writtenValues } from './endpoint-values';
import { MadeEndpoint } from './made-endpoint';
import { urlProblem } from './url-check';

/** Adds an endpoint: its fields; then its secret, how to verify, and a first test. */
export default function NewEndpoint() {
  const { t } = useLingui();
  return (
    <div className="mx-auto max-w-2xl">
      <PageHead title={t`Add an endpoint`} back={<Link to="/endpoints">{t`Endpoints`}</Link>} />
      {useAllowed('webhooks:edit') ? (
        <NewEndpointForm />
      ) : (
        <Answer tone="info">
          <Trans>You can view endpoints but not add one.</Trans>
        </Answer>
      )}
    </div>
  );
}

/** The addresses that the endpoint may let through its firewall. */
function EgressAddresses() {
  const { t } = useLingui();
  const { egressAddresses } = useViewer();
  return egressAddresses.length === 0 ? null : (
    <Card title={t`Firewall`}>
      <p className="mb-2">
        <Trans>Requests come from these addresses. Allow them in your firewall.</Trans>
      </p>
      <Code text={egressAddresses.join('\n')} name={t`the addresses`} />
    </Card>
  );
}

function NewEndpointForm() {
  const { t } = useLingui();
  const go = useGo();
  const withSecret = useAllowed('webhooks:secrets');
  const isWritable = useWritable();
  // An event type's page leads here with its name.
  const [{ type }] = useAddress();
  const [, create] = useMutation(CREATE_ENDPOINT);
  const form = useForm({
    initial: { ...NO_VALUES, eventTypes: type ? [type] : [] },
    save: (values, { idempotencyKey }) =>
      create({ input: { ...writtenValues(values, isWritable), idempotencyKey }, withSecret }),
  });
  const { url, eventTypes } = form.values;
  const made = form.data?.createWebhook;
  return (
    <>
      <form onSubmit={form.submit} noValidate className="flex flex-col gap-4">
        <Card>
          <EndpointFields form={form} autoFocus />
        </Card>
        <EgressAddresses />
        {form.error && <Failure error={form.error} />}
        <div className="flex justify-end gap-2">
          <Link to="/endpoints" className={buttonLook()}>
            <Trans>Cancel</Trans>
          </Link>
          <Button
            type="submit"
            look="primary"
            disabled={form.busy || urlProblem(url) === 'typing'}
            refused={eventTypes.length === 0 ? t`Choose at least one event type.` : undefined}
          >
            <Trans>Add the endpoint</Trans>
          </Button>
        </div>
      </form>
      {made && (
        <MadeEndpoint
          secret={made.secret ?? null}
          endpoint={made.webhook}
          onDone={(action) => go(`/endpoints/${made.webhook.databaseId}`, action && { do: action })}
        />
      )}
    </>
  );
}
