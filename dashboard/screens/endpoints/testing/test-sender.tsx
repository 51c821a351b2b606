import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useQuery } from 'urql';
import type { EndpointRowFragment } from '../../../api/generated/graphql';
import { Select } from '../../../parts/select';
import { useAllowed } from '../../../parts/viewer';
import { EVENT_TYPES } from '../first-documents';
import { SAMPLE_PAYLOAD } from '../later-documents';
import { TestForm } from './test-form';

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
  const [types] = useQuery({ query: EVENT_TYPES, pause: simple ?? false });
  const isUsual = eventType === USUAL_TYPE;
  const [sample] = useQuery({ query: SAMPLE_PAYLOAD, variables: { name: eventType }, pause: isUsual });
  const type = types.data?.eventTypes?.find(({ name }) => name === eventType);
  const isFixed = isUsual || type?.reserved === true;
  const refused = !mayTest
    ? t`Your session cannot send tests.`
    : endpoint.active
      ? undefined
      : t`A paused or disabled endpoint gets no tests.`;
  return (
    <TestForm
      endpoint={endpoint}
      eventType={isUsual ? undefined : eventType}
      sample={isFixed ? undefined : JSON.stringify(sample.data?.eventType?.samplePayload ?? {}, null, 2)}
      refused={refused}
      linked={!simple}
    >
      {!simple && (
        <>
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <Trans>Event type</Trans>
            <Select
              label={t`Event type`}
              value={eventType}
              onChange={setEventType}
              options={(types.data?.eventTypes ?? []).map(({ name }) => ({ value: name, name }))}
            />
          </div>
          {isFixed && (
            <p className="text-xs text-soft">
              <Trans>The service itself writes the payload of this type.</Trans>
            </p>
          )}
        </>
      )}
    </TestForm>
  );
}
