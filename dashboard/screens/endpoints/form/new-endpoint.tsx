import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { useMutation, useQuery } from 'urql';
import { Button, buttonLook } from '../../../parts/button';
import { issueAt, issuesOf } from '../../../parts/issues';
import { Answer, Card, Failure, PageHead } from '../../../parts/page';
import { Link, useAddress, useGo } from '../../../parts/place';
import { Untrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import { CREATE_ENDPOINT, EVENT_TYPES } from '../documents';
import { EventTypePicker } from './event-type-picker';
import { MadeEndpoint } from './made-endpoint';
import { urlProblem } from './url-check';
import { UrlField } from './url-field';

/** Adds an endpoint: its url, its event types; then its secret, how to verify, and a first test. */
export default function NewEndpoint() {
  const { t } = useLingui();
  const go = useGo();
  const mayCreate = useAllowed('webhooks:edit');
  const withSecret = useAllowed('webhooks:secrets');
  const [url, setUrl] = useState('');
  // An event type's page leads here with its name.
  const [{ type }] = useAddress();
  const [eventTypes, setEventTypes] = useState<string[]>(type ? [type] : []);
  const [types, readTypes] = useQuery({ query: EVENT_TYPES });
  const [{ data, error, fetching }, create] = useMutation(CREATE_ENDPOINT);
  const wrongTypes = issueAt(error, 'input', 'eventTypes');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void create({ input: { url: url.trim(), eventTypes }, withSecret });
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
            <UrlField value={url} onChange={setUrl} refusal={issueAt(error, 'input', 'url')} autoFocus />
            <h2 className="mt-3 mb-1 text-sm font-medium">
              <Trans>Event types</Trans>
            </h2>
            {types.error && <Failure error={types.error} retry={readTypes} />}
            {types.data?.eventTypes && (
              <EventTypePicker types={types.data.eventTypes} value={eventTypes} onChange={setEventTypes} />
            )}
            <p className="mt-1 min-h-4 text-xs text-soft" aria-live="polite">
              {wrongTypes !== undefined ? (
                <span className="text-bad">
                  <Untrusted text={wrongTypes} />
                </span>
              ) : (
                <Trans>Events of these types are sent to the url. You can change them at any time.</Trans>
              )}
            </p>
          </Card>
          {error && issuesOf(error).length === 0 && <Failure error={error} />}
          <div className="flex justify-end gap-2">
            <Link to="/endpoints" className={buttonLook()}>
              <Trans>Cancel</Trans>
            </Link>
            <Button
              type="submit"
              look="primary"
              disabled={fetching || urlProblem(url) === 'typing'}
              refused={eventTypes.length === 0 ? t`Choose at least one event type.` : undefined}
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
