import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { BulkDialog } from '../../../parts/bulk-dialog';
import { Tick } from '../../../parts/field';
import { filterOf, SpanFields, spanOfLast } from '../../../parts/time-span';
import { REPLAY } from '../../operations/documents';
import { useBulkOperation } from '../../operations/use-bulk-operation';
import { EVENT_TYPES } from '../first-documents';
import { EventTypePicker } from '../form/event-type-picker';
import type { EndpointDialogProps } from '../use-endpoint';

const DAY_MS = 24 * 3_600_000;
/** Events about endpoints themselves: the service sends them, and they are never replayed. */
const isReplayed = ({ reserved }: { reserved: boolean }) => !reserved;

/** Sends past events to the endpoint, as if they came now. */
export function ReplayDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { t } = useLingui();
  const { id } = endpoint;
  const [span, setSpan] = useState(() => spanOfLast(DAY_MS));
  const [includeDelivered, setIncludeDelivered] = useState(false);
  const [{ data }] = useQuery({ query: EVENT_TYPES });
  const offered = (data?.eventTypes ?? []).filter(
    (type) => isReplayed(type) && (endpoint.eventTypes.includes('*') || endpoint.eventTypes.includes(type.name)),
  );
  const [eventTypes, setEventTypes] = useState<string[]>(['*']);
  const input = useMemo(() => {
    const times = filterOf(span);
    const filter = { ...times, ...(eventTypes.includes('*') ? {} : { eventTypes }) };
    return times && eventTypes.length > 0 ? { webhookId: id, includeDelivered, filter } : undefined;
  }, [id, span, eventTypes, includeDelivered]);
  return (
    <BulkDialog
      title={<Trans>Replay past events</Trans>}
      work={useBulkOperation(REPLAY, input)}
      action={(_, text) => t`Replay ${text}`}
      consequence={(total) => (
        <Plural value={total} one="One event gets a new delivery." other="# events get a new delivery each." />
      )}
      onClose={onClose}
    >
      <p className="text-soft">
        <Trans>For an endpoint that is newer than the events, or missed them.</Trans>
      </p>
      <SpanFields span={span} onChange={setSpan} />
      <EventTypePicker
        types={offered}
        value={eventTypes}
        onChange={setEventTypes}
        all={<Trans>All types that it subscribes to</Trans>}
      />
      <Tick checked={includeDelivered} onChange={({ target }) => setIncludeDelivered(target.checked)}>
        <Trans>Include delivered events: each gets another delivery with a new id</Trans>
      </Tick>
    </BulkDialog>
  );
}
