import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useQuery } from 'urql';
import type { EndpointRowFragment, EventTypeRowFragment } from '../../api/generated/graphql';
import { buttonLook } from '../../parts/button';
import { endpointLabel } from '../../parts/cells';
import { Card, Failure } from '../../parts/page';
import { Link } from '../../parts/place';
import { Select } from '../../parts/select';
import { useAllowed } from '../../parts/viewer';
import { TestForm } from '../endpoints/testing/test-form';
import { TEST_TARGETS } from './documents';

interface SampleProps {
  type: EventTypeRowFragment;
  sample: string;
  /** Whether the schema takes the sample as it is. */
  fits: boolean;
}

/** Sends an event of a type to an endpoint of choice, with a payload that can be edited; its answer comes by itself. */
export function SendSample({ type, sample, fits }: SampleProps) {
  const [{ data, error }, read] = useQuery({ query: TEST_TARGETS });
  const mayAdd = useAllowed('webhooks:edit');
  const [first, ...others] = data?.webhooks?.edges.map(({ node }) => node) ?? [];
  return (
    <Card title={<Trans>Send a test</Trans>}>
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
}: SampleProps & { endpoints: readonly [EndpointRowFragment, ...EndpointRowFragment[]] }) {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<string>();
  const endpoint = endpoints.find(({ id }) => id === chosen) ?? endpoints[0];
  return (
    <TestForm endpoint={endpoint} eventType={name} sample={reserved ? undefined : sample} fits={fits}>
      <Select
        label={t`Endpoint`}
        value={endpoint.id}
        onChange={setChosen}
        options={endpoints.map((one) => ({ value: one.id, name: endpointLabel(one) }))}
      />
      {reserved && (
        <p className="text-xs text-soft">
          <Trans>The service itself writes the payload of this type.</Trans>
        </p>
      )}
    </TestForm>
  );
}
