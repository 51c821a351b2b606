import { Trans, useLingui } from '@lingui/react/macro';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { useMutation, useQuery, useSubscription } from 'urql';
import type { EndpointRowFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { Field, Select, TextArea } from '../../parts/field';
import { hasIssueAt, IssuesAt, issuesOf } from '../../parts/input-issues';
import { Failure } from '../../parts/page';
import { EVENT_TYPES, SAMPLE_PAYLOAD, SEND_TEST, TEST_UPDATES } from './documents';
import { payloadOf } from './payload-text';
import { TestAnswer } from './test-answer';

const USUAL_TYPE = 'webhook.test';

/**
 * Sends a test to an endpoint, and shows its answer as it comes.
 *
 * @param simple sends the usual test; else the event type and the payload can be chosen.
 */
export function TestSender({ endpoint, simple }: { endpoint: EndpointRowFragment; simple?: boolean }) {
  const { t } = useLingui();
  const [eventType, setEventType] = useState(USUAL_TYPE);
  const [edited, setEdited] = useState<string>();
  const [{ data, error, fetching }, send] = useMutation(SEND_TEST);
  // It runs from before the test is sent, so that no change of the test's delivery is missed.
  useSubscription({ query: TEST_UPDATES, variables: { webhookId: endpoint.id } });
  const [types] = useQuery({ query: EVENT_TYPES, pause: simple ?? false });
  const isUsual = eventType === USUAL_TYPE;
  const [sample] = useQuery({ query: SAMPLE_PAYLOAD, variables: { name: eventType }, pause: isUsual });
  const type = types.data?.eventTypes?.find(({ name }) => name === eventType);
  const sampleText = JSON.stringify(sample.data?.eventType?.samplePayload ?? {}, null, 2);
  const isFixed = isUsual || type?.reserved === true;
  const payload = edited === undefined ? undefined : payloadOf(edited);
  const issues = issuesOf(error);
  const submit = () =>
    void send({
      input: {
        id: endpoint.id,
        ...(isUsual ? {} : { eventType }),
        ...(isFixed || payload?.value === undefined ? {} : { payload: payload.value }),
      },
    });
  const sent = data?.testWebhook.delivery;
  return (
    <div className="flex flex-col gap-3">
      {!simple && (
        <div className="flex flex-col gap-3">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <Trans>Event type</Trans>
            <Select
              label={t`Event type`}
              value={eventType}
              onChange={(next) => {
                setEventType(next);
                setEdited(undefined);
              }}
              options={(types.data?.eventTypes ?? []).map(({ name }) => ({ value: name, name }))}
            />
            <IssuesAt issues={issues} field="eventType" />
          </div>
          {isFixed ? (
            <p className="text-xs text-soft">
              <Trans>The service itself writes the payload of this type.</Trans>
            </p>
          ) : (
            <Field
              name={<Trans>Payload</Trans>}
              hint={<Trans>A sample that fits the type's schema: change what you like.</Trans>}
              error={
                payload?.problem !== undefined ? (
                  <PayloadProblem problem={payload.problem} />
                ) : (
                  hasIssueAt(issues, 'payload') && <IssuesAt issues={issues} field="payload" />
                )
              }
            >
              {(props) => (
                <TextArea
                  {...props}
                  value={edited ?? sampleText}
                  onChange={({ target }) => setEdited(target.value)}
                />
              )}
            </Field>
          )}
        </div>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={<Send />}
          look={simple ? 'plain' : 'primary'}
          onClick={submit}
          disabled={fetching || (!isFixed && payload?.problem !== undefined)}
          refused={endpoint.active ? undefined : t`An endpoint that is paused or disabled gets no tests.`}
        >
          {sent ? <Trans>Send another test</Trans> : <Trans>Send a test</Trans>}
        </Button>
        <p className="min-w-0 flex-1 basis-60 text-xs text-soft">
          <Trans>A test goes to this endpoint alone, and is retried and counted like any delivery.</Trans>
        </p>
      </div>
      {error && issues.length === 0 && <Failure error={error} />}
      {sent && !error && <TestAnswer key={sent.id} id={sent.id} closedUntil={endpoint.closedUntil ?? null} />}
    </div>
  );
}

function PayloadProblem({ problem }: { problem: 'no-object' | { text: string } }) {
  return problem === 'no-object' ? (
    <Trans>A payload is a JSON object: {'{ … }'}.</Trans>
  ) : (
    <Trans>This is no JSON: {problem.text}</Trans>
  );
}
