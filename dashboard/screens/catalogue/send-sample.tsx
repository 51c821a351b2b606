import { Trans, useLingui } from '@lingui/react/macro';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { useMutation, useQuery, useSubscription } from 'urql';
import type { EndpointRowFragment, EventTypeRowFragment } from '../../api/generated/graphql';
import { Button, buttonLook } from '../../parts/button';
import { shortUrl } from '../../parts/cells';
import { Select } from '../../parts/field';
import { issuesOf } from '../../parts/issues';
import { JsonField, parseObject } from '../../parts/json-field';
import { Card, Failure } from '../../parts/page';
import { Link } from '../../parts/place';
import { useAllowed } from '../../parts/viewer';
import { TestAnswer } from '../endpoints/answer/test-answer';
import { SEND_TEST, TEST_UPDATES } from '../endpoints/documents';
import { TEST_TARGETS } from './documents';

/** Sends an event of a type to an endpoint of choice, with a payload that can be edited; its answer comes by itself. */
export function SendSample({
  type,
  sample,
  fits,
}: {
  type: EventTypeRowFragment;
  sample: string;
  /** Whether the schema takes the sample as it is. */
  fits: boolean;
}) {
  const [{ data, error }, read] = useQuery({ query: TEST_TARGETS });
  const mayAdd = useAllowed('webhooks:edit');
  const endpoints = data?.webhooks?.edges.map(({ node }) => node) ?? [];
  return (
    <Card title={<Trans>Send it to an endpoint</Trans>}>
      {error && <Failure error={error} retry={read} />}
      {data?.webhooks && endpoints.length === 0 && (
        <div className="flex flex-col items-start gap-3 text-sm text-soft">
          <Trans>There is no active endpoint that could get it.</Trans>
          {mayAdd && (
            <Link to="/endpoints/new" className={buttonLook()}>
              <Trans>Add an endpoint</Trans>
            </Link>
          )}
        </div>
      )}
      {endpoints.length > 0 && <SampleForm type={type} sample={sample} fits={fits} endpoints={endpoints} />}
    </Card>
  );
}

function SampleForm({
  type: { name, reserved },
  sample,
  fits,
  endpoints,
}: {
  type: EventTypeRowFragment;
  sample: string;
  fits: boolean;
  endpoints: readonly EndpointRowFragment[];
}) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<string>();
  const [text, setText] = useState(sample);
  const [{ data, error, fetching }, send] = useMutation(SEND_TEST);
  const endpoint = endpoints.find(({ id }) => id === chosen) ?? endpoints[0];
  // It runs from before the test is sent, so that no change of the test's delivery is missed.
  useSubscription({ query: TEST_UPDATES, variables: { webhookId: endpoint?.id ?? '' }, pause: !endpoint });
  if (endpoint === undefined) {
    return null;
  }
  const parsed = parseObject(text);
  const issues = issuesOf(error)
    .filter(({ path }) => path[1] === 'payload')
    .map((issue) => ({ ...issue, path: issue.path.slice(2) }));
  const submit = () =>
    void send({
      input: {
        id: endpoint.id,
        eventType: name,
        ...(reserved || !('value' in parsed) ? {} : { payload: parsed.value }),
      },
    });
  const sent = data?.testWebhook.delivery;
  return (
    <div className="flex flex-col gap-3">
      <Select
        label={t`Endpoint`}
        value={endpoint.id}
        onChange={setChosen}
        options={endpoints.map(({ id, url }) => ({ value: id, name: shortUrl(url) }))}
      />
      {reserved ? (
        <p className="text-xs text-soft">
          <Trans>The service itself writes the payload of this type.</Trans>
        </p>
      ) : (
        <JsonField
          name={<Trans>Payload</Trans>}
          hint={
            fits ? (
              <Trans>A sample that fits the schema: change what you like.</Trans>
            ) : (
              <Trans>What the schema requires: fill it in.</Trans>
            )
          }
          rows={Math.min(16, text.split('\n').length + 1)}
          value={text}
          onChange={setText}
          issues={issues}
        />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button look="primary" icon={<Send />} onClick={submit} disabled={fetching || (!reserved && 'wrong' in parsed)}>
          {sent ? <Trans>Send it again</Trans> : <Trans>Send it</Trans>}
        </Button>
        <p className="min-w-0 flex-1 basis-52 text-xs text-soft">
          <Trans>It goes to this endpoint alone, and is retried and counted like any delivery.</Trans>
        </p>
      </div>
      {error && issues.length === 0 && <Failure error={error} />}
      {sent && !error && <TestAnswer key={sent.id} id={sent.id} closedUntil={endpoint.closedUntil ?? null} />}
    </div>
  );
}
