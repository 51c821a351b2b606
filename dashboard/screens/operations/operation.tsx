import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Ban, Play } from 'lucide-react';
import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import type { OperationRowFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { endpointLabel } from '../../parts/cells';
import { Confirm } from '../../parts/dialog';
import { OnePage } from '../../parts/one-page';
import { Answer, Card, Fact, Facts, Failure } from '../../parts/page';
import { Link } from '../../parts/place';
import { useRefresh } from '../../parts/refresh';
import { StateBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { count } from '../../text/numbers';
import { CANCEL_OPERATION, OPERATION, RESUME_OPERATION } from './documents';
import { isOfDeliveries, listOf } from './list-of';
import { goesOn, KINDS, OPERATION_STATES, REFRESH_MS, useFilterWords } from './names';
import { Progress } from './operation-progress';

/** One bulk operation: how far it has come, what it goes through, and what can be done about it. */
export default function OperationScreen() {
  const { t, i18n } = useLingui();
  const mayChange = useAllowed('deliveries:bulk');
  const { id } = useParams({ strict: false }) as { id: string };
  const [{ data, error }, again] = useQuery({ query: OPERATION, variables: { id } });
  const operation = data?.bulkOperation;
  useRefresh(again, operation != null && goesOn(operation) ? REFRESH_MS : undefined);
  return (
    <OnePage
      title={t`Operation ${id}`}
      back={{ to: '/operations', name: t`Operations` }}
      thing={operation}
      error={error}
      retry={again}
      head={(one) => ({
        title: i18n._(KINDS[one.kind]),
        badges: <StateBadge state={OPERATION_STATES[one.status]} />,
        actions: mayChange && <Actions operation={one} />,
      })}
    >
      {(one) => (
        <>
          <Meaning operation={one} />
          <Card title={<Trans>Progress</Trans>}>
            <Progress operation={one} />
          </Card>
          <div className="grid gap-4 lg:grid-cols-2">
            <Selection operation={one} />
            <Numbers operation={one} />
          </div>
        </>
      )}
    </OnePage>
  );
}

function Selection({ operation }: { operation: OperationRowFragment }) {
  const { t } = useLingui();
  const words = useFilterWords(operation);
  const seesDeliveries = useAllowed('deliveries:read');
  const { webhook, filter } = operation;
  return (
    <Card title={<Trans>Selection</Trans>}>
      <Facts>
        <Fact name={<Trans>Endpoint</Trans>}>
          {webhook ? (
            <Link to={`/endpoints/${webhook.databaseId}`} className="text-accent">
              <Untrusted text={endpointLabel(webhook)} />
            </Link>
          ) : filter['webhookId'] != null ? (
            t`deleted`
          ) : (
            t`All endpoints`
          )}
        </Fact>
        {words.map((word) => (
          <Fact key={`${word.name} ${word.value}`} name={word.name}>
            <Untrusted text={word.value} />
          </Fact>
        ))}
      </Facts>
      {isOfDeliveries(operation) && seesDeliveries && (
        <p className="mt-2 text-sm">
          <Link to="/deliveries" search={listOf(operation)} className="text-accent">
            <Trans>Show the deliveries, as they are now</Trans>
          </Link>
        </p>
      )}
    </Card>
  );
}

function Numbers({ operation }: { operation: OperationRowFragment }) {
  const { kind, createdAt, beginsAt, finishedAt, databaseId, affected, skipped, total } = operation;
  return (
    <Card title={<Trans>Totals</Trans>}>
      <Facts>
        <Fact name={<Trans>Found</Trans>}>{count(total)}</Fact>
        <Fact name={<AffectedName kind={kind} />}>{count(affected)}</Fact>
        <Fact name={<Trans>Skipped</Trans>}>{count(skipped)}</Fact>
        <Fact name={<Trans>Started</Trans>}>
          <Time value={createdAt} />
        </Fact>
        {beginsAt && (
          <Fact name={<Trans>Begins</Trans>}>
            <Time value={beginsAt} />
          </Fact>
        )}
        {finishedAt && (
          <Fact name={<Trans>Ended</Trans>}>
            <Time value={finishedAt} />
          </Fact>
        )}
        <Fact name={<Trans>Number</Trans>}>{databaseId}</Fact>
      </Facts>
      {skipped > 0 && (
        <p className="mt-2 text-xs text-soft">
          <Trans>Skipped: deliveries that changed meanwhile, or whose event is no longer stored.</Trans>
        </p>
      )}
    </Card>
  );
}

function AffectedName({ kind }: Pick<OperationRowFragment, 'kind'>) {
  switch (kind) {
    case 'CANCEL_DELIVERIES':
      return <Trans>Canceled</Trans>;
    case 'ERASE_EVENTS':
      return <Trans>Erased</Trans>;
    default:
      return <Trans>Queued to be sent</Trans>;
  }
}

/** The meaning of the operation's state, if it is not plain. */
function Meaning({ operation: { status, error, kind, affected } }: { operation: OperationRowFragment }) {
  switch (status) {
    case 'PAUSED':
      return (
        <Answer tone="warn">
          <Trans>Its endpoint is inactive. The operation continues once the endpoint is enabled.</Trans>
        </Answer>
      );
    case 'FAILED':
      return (
        <Answer tone="bad">
          {error ? <Untrusted text={error} /> : <Trans>The service failed during this operation.</Trans>}
        </Answer>
      );
    case 'CANCELED':
      return (
        <Answer tone="info">
          {error ? <Untrusted text={error} /> : <Trans>Someone canceled it.</Trans>}{' '}
          {kind === 'ERASE_EVENTS' ? (
            <Trans>{count(affected)} events were erased before that.</Trans>
          ) : (
            <Trans>{count(affected)} deliveries were changed before that.</Trans>
          )}
        </Answer>
      );
    case 'COMPLETED':
      return kind === 'CANCEL_DELIVERIES' || kind === 'ERASE_EVENTS' ? null : (
        <Answer tone="good">
          <Trans>Completed. Queued deliveries may still wait for their turn at the endpoint.</Trans>
        </Answer>
      );
    default:
      return null;
  }
}

/** The work that a cancellation leaves done. */
function WhatStays({ kind, affected, total }: Pick<OperationRowFragment, 'kind' | 'affected' | 'total'>) {
  switch (kind) {
    case 'CANCEL_DELIVERIES':
      return (
        <Trans>
          {count(affected)} of {count(total)} deliveries are already canceled; the rest remain. You can resume this
          operation later.
        </Trans>
      );
    case 'ERASE_EVENTS':
      return (
        <Trans>
          {count(affected)} of {count(total)} events are already erased; the rest stay as they are.
        </Trans>
      );
    default:
      return (
        <Trans>
          {count(affected)} of {count(total)} deliveries are already queued and will be sent; the rest will not. You can
          resume this operation later.
        </Trans>
      );
  }
}

function Actions({ operation: { id, status, affected, total, kind } }: { operation: OperationRowFragment }) {
  const { t } = useLingui();
  const [asks, setAsks] = useState(false);
  const [canceling, cancel] = useMutation(CANCEL_OPERATION);
  const [resuming, resume] = useMutation(RESUME_OPERATION);
  const error = canceling.error ?? resuming.error;
  return (
    <>
      {error && <Failure error={error} />}
      {(status === 'RUNNING' || status === 'PAUSED') && (
        <Button look="danger" icon={<Ban />} onClick={() => setAsks(true)}>
          <Trans>Cancel</Trans>
        </Button>
      )}
      {(status === 'CANCELED' || status === 'FAILED') && kind !== 'ERASE_EVENTS' && (
        <Button
          look="primary"
          icon={<Play />}
          disabled={resuming.fetching}
          onClick={() => void resume({ input: { id } })}
        >
          <Trans>Resume</Trans>
        </Button>
      )}
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title={<Trans>Cancel this operation?</Trans>}
        action={t`Cancel the operation`}
        busy={canceling.fetching}
        onConfirm={() => void cancel({ input: { id } }).then(() => setAsks(false))}
      >
        <WhatStays kind={kind} affected={affected} total={total} />
      </Confirm>
    </>
  );
}
