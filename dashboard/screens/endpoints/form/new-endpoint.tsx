import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { useMutation } from 'urql';
import { Button, buttonLook } from '../../../parts/button';
import { issuesOf } from '../../../parts/issues';
import { Answer, Card, Failure, PageHead } from '../../../parts/page';
import { Link, useAddress, useGo } from '../../../parts/place';
import { useAllowed } from '../../../parts/viewer';
import { CREATE_ENDPOINT } from '../documents';
import { EndpointFields } from './endpoint-fields';
import { type EndpointValues, NO_VALUES, valuesOf } from './endpoint-values';
import { MadeEndpoint } from './made-endpoint';
import { urlProblem } from './url-check';

/** Adds an endpoint: its fields; then its secret, how to verify, and a first test. */
export default function NewEndpoint() {
  const { t } = useLingui();
  const go = useGo();
  const mayCreate = useAllowed('webhooks:edit');
  const withSecret = useAllowed('webhooks:secrets');
  // An event type's page leads here with its name.
  const [{ type }] = useAddress();
  const [values, setValues] = useState<EndpointValues>({ ...NO_VALUES, eventTypes: type ? [type] : [] });
  const [{ data, error, fetching }, create] = useMutation(CREATE_ENDPOINT);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void create({ input: valuesOf(values), withSecret });
  };
  const made = data?.createWebhook;
  return (
    <div className="mx-auto max-w-2xl">
      <PageHead title={t`Add an endpoint`} back={<Link to="/endpoints">{t`Endpoints`}</Link>} />
      {!mayCreate ? (
        <Answer tone="info">
          <Trans>Your session may look at endpoints, and not add any.</Trans>
        </Answer>
      ) : (
        <form onSubmit={submit} noValidate className="flex flex-col gap-4">
          <Card>
            <EndpointFields values={values} onChange={setValues} error={error} autoFocus />
          </Card>
          {error && issuesOf(error).length === 0 && <Failure error={error} />}
          <div className="flex justify-end gap-2">
            <Link to="/endpoints" className={buttonLook()}>
              <Trans>Cancel</Trans>
            </Link>
            <Button
              type="submit"
              look="primary"
              disabled={fetching || urlProblem(values.url) === 'typing'}
              refused={values.eventTypes.length === 0 ? t`Choose at least one event type.` : undefined}
            >
              <Trans>Add the endpoint</Trans>
            </Button>
          </div>
        </form>
      )}
      {made && (
        <MadeEndpoint
          secret={made.secret ?? null}
          endpoint={made.webhook}
          onDone={() => go(`/endpoints/${made.webhook.databaseId}`)}
        />
      )}
    </div>
  );
}
