import { Trans, useLingui } from '@lingui/react/macro';
import { Send } from 'lucide-react';
import { useMutation, useQuery, useSubscription } from 'urql';
import type { EndpointRowFragment, EventTypeRowFragment } from '../../api/generated/graphql';
import { Button, buttonLook } from '../../parts/button';
import { shortUrl } from '../../parts/cells';
import { Select } from '../../parts/field';
import { useForm } from '../../parts/form';
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
  const [first, ...others] = data?.webhooks?.edges.map(({ node }) => node) ?? [];
  return (
    <Card title={<Trans>Send it to an endpoint</Trans>}>
      {error && <Failure error={error} retry={read} />}
      {data?.webhooks && first === undefined && (
        <div className="flex flex-col items-start gap-3 text-sm text-soft">
          <Trans>No active endpoint can receive it.</Trans>
          {mayAdd && (
            <Link to="/endpoints/new" className={buttonLook()}>
              <Trans>Add an endpoint</Trans>
            </Link>
          )}
        </div>
      )}
      {first && <SampleForm type={type} sample={sample} fits={fits} endpoints={[first, ...others]} />}
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
  endpoints: readonly [EndpointRowFragment, ...EndpointRowFragment[]];
}) {
  const { t } = useLingui();
  const [, send] = useMutation(SEND_TEST);
  const endpointOf = (id: string) => endpoints.find((one) => one.id === id) ?? endpoints[0];
  const form = useForm({
    initial: { id: '', payload: sample },
    save: ({ id, payload }) =>
      send({
        input: { id: endpointOf(id).id, eventType: name, ...(reserved ? {} : { payload: JSON.parse(payload) }) },
      }),
  });
  const endpoint = endpointOf(form.values.id);
  // It runs from before the test is sent, so that no change of the test's delivery is missed.
  useSubscription({ query: TEST_UPDATES, variables: { webhookId: endpoint.id } });
  const { payload } = form.values;
  const sent = form.data?.testWebhook.delivery;
  return (
    <form onSubmit={form.submit} className="flex flex-col gap-3">
      <Select
        label={t`Endpoint`}
        value={endpoint.id}
        onChange={form.field('id').onChange}
        options={endpoints.map(({ id, url }) => ({ value: id, name: shortUrl(url) }))}
      />
      {reserved ? (
        <p className="text-xs text-soft">
          <Trans>The service itself writes the payload of this type.</Trans>
        </p>
      ) : (
        <JsonField
          {...form.field('payload')}
          name={<Trans>Payload</Trans>}
          hint={
            fits ? (
              <Trans>A sample that fits the schema. You can change it.</Trans>
            ) : (
              <Trans>The fields that the schema requires: fill them in.</Trans>
            )
          }
          rows={Math.min(16, payload.split('\n').length + 1)}
          issues={form.issues('payload')}
        />
      )}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          look="primary"
          icon={<Send />}
          disabled={form.busy || (!reserved && 'wrong' in parseObject(payload))}
        >
          {sent ? <Trans>Send it again</Trans> : <Trans>Send it</Trans>}
        </Button>
        <p className="min-w-0 flex-1 basis-52 text-xs text-soft">
          <Trans>It goes to this endpoint alone, and is retried and counted like any delivery.</Trans>
        </p>
      </div>
      {form.error && <Failure error={form.error} />}
      {sent && <TestAnswer key={sent.id} id={sent.id} closedUntil={endpoint.closedUntil ?? null} />}
    </form>
  );
}
