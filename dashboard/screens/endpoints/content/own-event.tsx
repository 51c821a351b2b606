import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect } from 'react';
import { useQuery } from 'urql';
import { JsonField } from '../../../parts/json-field';
import { Select } from '../../../parts/select';
import { SAMPLE_PAYLOAD } from '../later-documents';
import { type OwnEvent, previousIn } from './use-preview';

/** An event to try that never was. It begins with the sample of its type. */
export function OwnEventFields({
  own,
  onChange,
  types,
}: {
  own: OwnEvent;
  onChange: (own: OwnEvent) => void;
  types: readonly string[];
}) {
  const { t } = useLingui();
  const { eventType, text, previous } = own;
  const [{ data }] = useQuery({ query: SAMPLE_PAYLOAD, variables: { name: eventType }, pause: eventType === '' });
  const type = data?.eventType;
  const sample = type?.name === eventType ? JSON.stringify(type.samplePayload ?? {}, null, 2) : undefined;
  const isEmpty = text === '';
  useEffect(() => {
    if (isEmpty && sample !== undefined) {
      onChange({ eventType, text: sample, previous });
    }
  }, [isEmpty, sample, eventType, previous, onChange]);
  return (
    <>
      {types.length > 1 && (
        <Select
          label={t`Event type`}
          value={eventType}
          onChange={(chosen) => onChange({ eventType: chosen, text: '', previous: '' })}
          options={types.map((name) => ({ value: name, name }))}
        />
      )}
      <JsonField
        name={<Trans>Payload</Trans>}
        rows={8}
        value={text}
        onChange={(typed) => onChange({ ...own, text: typed })}
        issues={[]}
      />
      <JsonField
        name={<Trans>State before the change (optional)</Trans>}
        rows={4}
        value={previous}
        parse={previousIn}
        onChange={(typed) => onChange({ ...own, previous: typed })}
        issues={[]}
      />
    </>
  );
}
