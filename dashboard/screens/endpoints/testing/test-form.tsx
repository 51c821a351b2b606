import { Trans } from '@lingui/react/macro';
import { Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useMutation, useSubscription } from 'urql';
import type { EndpointRowFragment } from '../../../api/generated/graphql';
import { Button } from '../../../parts/button';
import { issueAt, issuesOf } from '../../../parts/issues';
import { JsonField, parseObject } from '../../../parts/json-field';
import { Failure } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { TEST_UPDATES } from '../documents';
import { SEND_TEST } from '../first-documents';
import { TestAnswer } from './test-answer';

/**
 * Sends a test to an endpoint, with a payload that can be edited, and shows its answer as it comes.
 *
 * @param eventType undefined for the usual test.
 * @param sample as the editor begins with it; undefined where the service itself writes the payload.
 * @param fits whether the schema takes the sample as it is: then it is sent only where it was edited.
 * @param linked whether the answer leads to the delivery: not beside a secret that is shown once.
 * @param children the choice of endpoint or event type.
 */
export function TestForm({
  endpoint,
  eventType,
  sample,
  fits = true,
  refused,
  linked = true,
  children,
}: {
  endpoint: EndpointRowFragment;
  eventType: string | undefined;
  sample: string | undefined;
  fits?: boolean;
  refused?: string | undefined;
  linked?: boolean;
  children?: ReactNode;
}) {
  const [edited, setEdited] = useState<{ of: string | undefined; text: string }>();
  const [{ data, error, fetching }, send] = useMutation(SEND_TEST);
  // It runs from before the test is sent, so that no change of the test's delivery is missed.
  useSubscription({ query: TEST_UPDATES, variables: { webhookId: endpoint.id } });
  const own = edited?.of === eventType ? edited?.text : fits ? undefined : sample;
  const payload = sample === undefined || own === undefined ? undefined : parseObject(own);
  const isWrong = payload !== undefined && 'wrong' in payload;
  const issues = issuesOf(error);
  const submit = () =>
    void send({
      input: {
        id: endpoint.id,
        ...(eventType !== undefined && { eventType }),
        ...(payload !== undefined && 'value' in payload && { payload: payload.value }),
      },
    });
  const sent = data?.testWebhook.delivery;
  return (
    <div className="flex flex-col gap-3">
      {children}
      {error && (
        <span className="text-xs text-bad">
          <Untrusted text={issueAt(error, 'input', 'eventType') ?? ''} />
        </span>
      )}
      {sample !== undefined && (
        <JsonField
          name={<Trans>Payload</Trans>}
          hint={
            fits ? (
              <Trans>This sample fits the schema. Edit it as you like.</Trans>
            ) : (
              <Trans>Fill in the properties that the schema requires.</Trans>
            )
          }
          rows={Math.min(16, (own ?? sample).split('\n').length + 1)}
          value={own ?? sample}
          onChange={(text) => setEdited({ of: eventType, text })}
          issues={issues
            .filter(({ path }) => path[1] === 'payload')
            .map((issue) => ({ ...issue, path: issue.path.slice(2) }))}
        />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={<Send />}
          look={linked ? 'primary' : 'plain'}
          onClick={submit}
          disabled={fetching || isWrong}
          refused={refused}
        >
          {sent ? <Trans>Send another test</Trans> : <Trans>Send a test</Trans>}
        </Button>
        <p className="min-w-0 flex-1 basis-52 text-xs text-soft">
          <Trans>A test goes to this endpoint only. It is retried and counted like any delivery.</Trans>
        </p>
      </div>
      {error && issues.length === 0 && <Failure error={error} />}
      {sent && !error && (
        <div key={sent.id} ref={intoView} className="scroll-mb-16">
          <TestAnswer id={sent.id} closedUntil={endpoint.closedUntil ?? null} linked={linked} />
        </div>
      )}
    </div>
  );
}

/** On a phone the answer begins below the edge of its dialog; the margin is for the words of a failure. */
const intoView = (answer: HTMLElement | null) => answer?.scrollIntoView({ block: 'nearest' });
