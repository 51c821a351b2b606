import { Trans, useLingui } from '@lingui/react/macro';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { useMutation, useQuery, useSubscription } from 'urql';
import type { EndpointRowFragment } from '../../../api/generated/graphql';
import { Button } from '../../../parts/button';
import { Select } from '../../../parts/field';
import { issueAt, issuesOf } from '../../../parts/issues';
import { JsonField, parseObject } from '../../../parts/json-field';
import { Failure } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import { EVENT_TYPES, SAMPLE_PAYLOAD, SEND_TEST, TEST_UPDATES } from '../documents';
import { TestAnswer } from './test-answer';

const USUAL_TYPE = 'webhook.test';

/**
 * Sends a test to an endpoint, and shows its answer as it comes.
 *
 * @param simple sends the usual test; else the event type and the payload can be chosen.
 */
export function TestSender({ endpoint, simple }: { endpoint: EndpointRowFragment; simple?: boolean }) {
  const { t } = useLingui();
  const mayTest = useAllowed('webhooks:test');
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
  const payload = edited === undefined ? undefined : parseObject(edited);
  const issues = issuesOf(error);
  const submit = () =>
    void send({
      input: {
        id: endpoint.id,
        ...(isUsual ? {} : { eventType }),
        ...(isFixed || payload === undefined || 'wrong' in payload ? {} : { payload: payload.value }),
      },
    });
  const refused = !mayTest
    ? t`Your session may not send tests.`
    : endpoint.active
      ? undefined
      : t`An endpoint that is paused or disabled gets no tests.`;
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
            <span className="text-xs text-bad">
              <Untrusted text={issueAt(error, 'input', 'eventType') ?? ''} />
            </span>
          </div>
          {isFixed ? (
            <p className="text-xs text-soft">
              <Trans>The service itself writes the payload of this type.</Trans>
            </p>
          ) : (
            <JsonField
              name={<Trans>Payload</Trans>}
              hint={<Trans>A sample that fits the type's schema: change what you like.</Trans>}
              rows={10}
              value={edited ?? sampleText}
              onChange={setEdited}
              issues={issues
                .filter(({ path }) => path[1] === 'payload')
                .map((issue) => ({ ...issue, path: issue.path.slice(2) }))}
            />
          )}
        </div>
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          icon={<Send />}
          look={simple ? 'plain' : 'primary'}
          onClick={submit}
          disabled={fetching || (!isFixed && payload !== undefined && 'wrong' in payload)}
          refused={refused}
        >
          {sent ? <Trans>Send another test</Trans> : <Trans>Send a test</Trans>}
        </Button>
        <p className="min-w-0 flex-1 basis-60 text-xs text-soft">
          <Trans>A test goes to this endpoint alone, and is retried and counted like any delivery.</Trans>
        </p>
      </div>
      {error && issues.length === 0 && <Failure error={error} />}
      {sent && !error && (
        <TestAnswer key={sent.id} id={sent.id} closedUntil={endpoint.closedUntil ?? null} linked={!simple} />
      )}
    </div>
  );
}
