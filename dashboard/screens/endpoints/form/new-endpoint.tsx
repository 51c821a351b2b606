import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useQuery } from 'urql';
import { isChat } from '../../../../src/domain/content/formats';
import { Button, buttonLook } from '../../../parts/button';
import { Code } from '../../../parts/code';
import { isReady } from '../../../parts/pace';
import { Answer, Card, Failure, PageHead } from '../../../parts/page';
import { Link, useGo } from '../../../parts/place';
import { useAllowed, useViewer } from '../../../parts/viewer';
import { whenWanted } from '../../../parts/when-wanted';
import { DryRunCard } from '../content/preview';
import { UNFINISHED } from '../content/words';
import { EVENT_TYPES } from '../first-documents';
import { lackOf } from '../settings/lack';
import { EndpointFields } from './endpoint-fields';
import { MadeEndpoint } from './made-endpoint';
import { NewContent } from './new-content';
import { urlProblem } from './url-check';
import { isFirst, type NewEndpointState, useNewEndpoint } from './use-new-endpoint';

const MoreFields = whenWanted(() => import('./more-fields'));

/** Adds an endpoint with all that decides what it gets; then its secret, how to verify, and a first test. */
export default function NewEndpoint() {
  const { t } = useLingui();
  return (
    <>
      <PageHead title={t`Add an endpoint`} back={<Link to="/endpoints">{t`Endpoints`}</Link>} />
      {useAllowed('webhooks:edit') ? (
        <NewEndpointForm />
      ) : (
        <Answer tone="info">
          <Trans>You can view endpoints but not add one.</Trans>
        </Answer>
      )}
    </>
  );
}

/** Before anybody saves: a new endpoint gets nothing at first. */
function MustProve() {
  return useViewer().endpointChallenge ? (
    <Answer tone="info">
      <Trans>Deliveries are held until the endpoint has proved that it wants them. The next step shows how.</Trans>
    </Answer>
  ) : null;
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

/** The dry run is beside the form where there is room, else below what it is about. */
function NewEndpointForm() {
  const go = useGo();
  const state = useNewEndpoint();
  const { form, isWritten, content } = state;
  const made = form.data?.createWebhook;
  // There may be any number of event types: nothing below them is shown before them.
  const [{ data, error }] = useQuery({ query: EVENT_TYPES });
  const isRead = data !== undefined || error !== undefined;
  return (
    <>
      <form
        onSubmit={form.submit}
        noValidate
        className="grid items-start gap-4 lg:grid-cols-[minmax(0,42rem)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]"
      >
        <div className="flex min-w-0 flex-col gap-4 lg:col-start-1">
          <Card>
            <EndpointFields form={form} isWritten={(name) => isFirst(name) && isWritten(name)} autoFocus />
          </Card>
          {isRead && content && <NewContent {...content} eventTypes={form.values.eventTypes} />}
        </div>
        {content?.dryRun && (
          <div className="lg:col-start-2 lg:row-span-2 lg:row-start-1 lg:self-stretch">
            <div className="lg:sticky lg:top-24 lg:max-h-[calc(100vh-7rem)] lg:overflow-y-auto">
              <DryRunCard {...content.dryRun} />
            </div>
          </div>
        )}
        <div className={`flex min-w-0 flex-col gap-4 lg:col-start-1 ${isRead ? '' : 'hidden'}`}>
          <More {...state} />
          <EgressAddresses />
          <MustProve />
          {form.error && <Failure error={form.error} />}
          <Buttons {...state} />
        </div>
      </form>
      {made && (
        <MadeEndpoint
          secret={made.secret ?? null}
          endpoint={made.webhook}
          isForChat={isChat(content?.draft.format ?? 'JSON')}
          onDone={(action) => go(`/endpoints/${made.webhook.databaseId}`, action && { do: action })}
        />
      )}
    </>
  );
}

/** The rarer fields, folded. Opening them moves the focus into them. */
function More(state: NewEndpointState) {
  const { t } = useLingui();
  const { isWritten, groups } = state;
  const [isOpen, setOpen] = useState(false);
  const names = [
    isWritten('name') && t`Name and description`,
    groups.order && t`Ordering`,
    groups.pace && t`Rate and retries`,
    groups.request && t`Method, headers and auth`,
    t`Add it paused`,
  ];
  return (
    <Card
      title={<Trans>More</Trans>}
      actions={
        !isOpen && (
          <Button onClick={() => setOpen(true)}>
            <Trans>More options</Trans>
          </Button>
        )
      }
    >
      {!isOpen && <p className="text-sm text-soft">{names.filter((name) => name).join(' · ')}</p>}
      <MoreFields wanted={isOpen} {...state} />
    </Card>
  );
}

function Buttons({ form, content }: NewEndpointState) {
  const { i18n } = useLingui();
  const { url, eventTypes, delivery, active } = form.values;
  const unfinished = eventTypes.length === 0 ? 'types' : content?.unfinished;
  const lack = unfinished ? UNFINISHED[unfinished] : lackOf(delivery.request);
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <p className="me-auto min-w-0 flex-1 basis-60 text-xs max-cards:basis-full text-soft">
        {active ? (
          <Trans>Nothing is sent before you add it.</Trans>
        ) : (
          <Trans>Nothing is sent before you enable it.</Trans>
        )}
      </p>
      <Link to="/endpoints" className={buttonLook()}>
        <Trans>Cancel</Trans>
      </Link>
      <Button
        type="submit"
        look="primary"
        disabled={form.busy || urlProblem(url) === 'typing' || !isReady(delivery.pace)}
        refused={lack && i18n._(lack)}
      >
        <Trans>Add the endpoint</Trans>
      </Button>
    </div>
  );
}
