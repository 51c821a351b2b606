import { Trans, useLingui } from '@lingui/react/macro';
import { useParams } from '@tanstack/react-router';
import { Ban, Play } from 'lucide-react';
import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import type { OperationRowFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { Confirm } from '../../parts/dialog';
import { Answer, Card, Fact, Facts, Failure, PageHead } from '../../parts/page';
import { Link } from '../../parts/place';
import { useRefresh } from '../../parts/refresh';
import { Badge } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { count } from '../../text/numbers';
import { CANCEL_OPERATION, OPERATION, RESUME_OPERATION } from './documents';
import { goesOn, KINDS, OPERATION_STATES, REFRESH_MS, useFilterWords } from './names';
import { Progress } from './operation-progress';

/** One bulk operation: how far it has come, what it goes through, and what can be done about it. */
export default function OperationScreen() {
  const { t } = useLingui();
  const { id } = useParams({ strict: false }) as { id: string };
  const [{ data, error }, again] = useQuery({ query: OPERATION, variables: { id } });
  const operation = data?.bulkOperation;
  useRefresh(again, operation != null && goesOn(operation) ? REFRESH_MS : undefined);
  return (
    <>
      {error && operation == null && (
        <>
          <PageHead title={t`Operation`} />
          <Failure error={error} retry={again} />
        </>
      )}
      {operation != null && <Operation operation={operation} />}
    </>
  );
}

function Operation({ operation }: { operation: OperationRowFragment }) {
  const { t, i18n } = useLingui();
  const mayChange = useAllowed('deliveries:bulk');
  const words = useFilterWords(operation);
  const { kind, status, webhook, createdAt, finishedAt, databaseId, affected, skipped, total } = operation;
  const { name, tone, icon } = OPERATION_STATES[status];
  return (
    <>
      <PageHead
        title={i18n._(KINDS[kind])}
        back={
          <Link to="/operations" className="text-soft">
            <Trans>Operations</Trans>
          </Link>
        }
        beside={
          <Badge tone={tone} icon={icon}>
            {i18n._(name)}
          </Badge>
        }
        actions={mayChange && <Actions operation={operation} />}
      />
      <div className="flex flex-col gap-4">
        <Meaning operation={operation} />
        <Card title={<Trans>Progress</Trans>}>
          <Progress operation={operation} />
        </Card>
        <div className="grid gap-4 lg:grid-cols-2">
          <Card title={<Trans>What it goes through</Trans>}>
            <Facts>
              <Fact name={<Trans>Endpoint</Trans>}>
                {webhook ? (
                  <Link to={`/endpoints/${webhook.databaseId}`} className="text-accent">
                    <Untrusted text={webhook.url} />
                  </Link>
                ) : operation.filter['webhookId'] != null ? (
                  t`deleted`
                ) : (
                  t`all`
                )}
              </Fact>
              {words.map((word) => (
                <Fact key={`${word.name} ${word.value}`} name={word.name}>
                  <Untrusted text={word.value} />
                </Fact>
              ))}
            </Facts>
          </Card>
          <Card title={<Trans>In numbers</Trans>}>
            <Facts>
              <Fact name={<Trans>Found at its start</Trans>}>
                <span className="figures">{count(total)}</span>
              </Fact>
              <Fact name={kind === 'CANCEL_DELIVERIES' ? <Trans>Canceled</Trans> : <Trans>Queued to be sent</Trans>}>
                <span className="figures">{count(affected)}</span>
              </Fact>
              <Fact name={<Trans>Skipped</Trans>}>
                <span className="figures">{count(skipped)}</span>
              </Fact>
              <Fact name={<Trans>Started</Trans>}>
                <Time value={createdAt} />
              </Fact>
              {finishedAt && (
                <Fact name={<Trans>Ended</Trans>}>
                  <Time value={finishedAt} />
                </Fact>
              )}
              <Fact name={<Trans>Number</Trans>}>
                <span className="figures">{databaseId}</span>
              </Fact>
            </Facts>
            {skipped > 0 && (
              <p className="mt-2 text-xs text-soft">
                <Trans>
                  It skips what had changed just before its turn came, and what cannot be sent again because its event
                  is not kept any more.
                </Trans>
              </p>
            )}
          </Card>
        </div>
      </div>
    </>
  );
}

/** The meaning of the operation's state, if it is not plain. */
function Meaning({ operation: { status, error, kind, affected } }: { operation: OperationRowFragment }) {
  switch (status) {
    case 'PAUSED':
      return (
        <Answer tone="warn">
          <Trans>Its endpoint is not active. It goes on by itself when the endpoint is enabled.</Trans>
        </Answer>
      );
    case 'FAILED':
      return (
        <Answer tone="bad">
          {error ? <Untrusted text={error} /> : <Trans>A fault of the service has ended it.</Trans>}
        </Answer>
      );
    case 'CANCELED':
      return (
        <Answer tone="info">
          {error ? <Untrusted text={error} /> : <Trans>Somebody has canceled it.</Trans>}{' '}
          <Trans>What it had done stays done: {count(affected)}.</Trans>
        </Answer>
      );
    case 'COMPLETED':
      return kind === 'CANCEL_DELIVERIES' ? null : (
        <Answer tone="good">
          <Trans>It has gone through all. What it queued may still wait for its turn at the endpoint.</Trans>
        </Answer>
      );
    default:
      return null;
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
      {(status === 'CANCELED' || status === 'FAILED') && (
        <Button
          look="primary"
          icon={<Play />}
          disabled={resuming.fetching}
          onClick={() => void resume({ input: { id } })}
        >
          <Trans>Resume where it stopped</Trans>
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
        {kind === 'CANCEL_DELIVERIES' ? (
          <Trans>
            The {count(affected)} deliveries that it has canceled stay canceled; the others of {count(total)} stay as
            they are. You can resume it later.
          </Trans>
        ) : (
          <Trans>
            The {count(affected)} deliveries that it has queued are sent all the same; the others of {count(total)} are
            not. You can resume it later.
          </Trans>
        )}
      </Confirm>
    </>
  );
}
