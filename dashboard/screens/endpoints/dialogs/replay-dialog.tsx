import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useMutation, useQuery } from 'urql';
import { Tick } from '../../../parts/field';
import { EVENT_TYPES, REPLAY } from '../documents';
import { EventTypePicker } from '../form/event-type-picker';
import type { EndpointDialogProps } from '../use-endpoint';
import { BulkDialog } from './bulk-dialog';
import { filterOf, SpanFields, spanOfLast } from './time-span';

const DAY_MS = 24 * 3_600_000;
/** Events about endpoints themselves: the service sends them, and they are never replayed. */
const isReplayed = ({ reserved }: { reserved: boolean }) => !reserved;

/** Sends past events to the endpoint, as if they came now. */
export function ReplayDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const [span, setSpan] = useState(() => spanOfLast(DAY_MS));
  const [includeDelivered, setIncludeDelivered] = useState(false);
  const [{ data }] = useQuery({ query: EVENT_TYPES });
  const offered = (data?.eventTypes ?? []).filter(
    (type) => isReplayed(type) && (endpoint.eventTypes.includes('*') || endpoint.eventTypes.includes(type.name)),
  );
  const [eventTypes, setEventTypes] = useState<string[]>(['*']);
  const [, replay] = useMutation(REPLAY);
  const times = filterOf(span);
  const filter = times && { ...times, ...(eventTypes.includes('*') ? {} : { eventTypes }) };
  return (
    <BulkDialog
      title={<Trans>Replay past events</Trans>}
      choice={filter && eventTypes.length > 0 ? JSON.stringify([filter, includeDelivered]) : undefined}
      run={async (dryRun) => {
        const result = await replay({
          input: { webhookId: endpoint.id, dryRun, includeDelivered, filter: filter ?? {} },
        });
        return { run: result.data?.replayEvents, error: result.error };
      }}
      noun={(total) => (
        <Plural
          value={total}
          _0="There is no such event."
          one="One event gets a new delivery."
          other="# events get a new delivery each."
        />
      )}
      action={(total) => t`Replay ${total}`}
      onClose={onClose}
    >
      <p className="text-sm text-soft">
        <Trans>For an endpoint that is younger than the events, or has missed them.</Trans>
      </p>
      <SpanFields span={span} onChange={setSpan} />
      <EventTypePicker
        types={offered}
        value={eventTypes}
        onChange={setEventTypes}
        all={<Trans>All types that it subscribes to</Trans>}
      />
      <Tick checked={includeDelivered} onChange={({ target }) => setIncludeDelivered(target.checked)}>
        <Trans>Also events that it has got already: they get another delivery, with another id</Trans>
      </Tick>
    </BulkDialog>
  );
}
