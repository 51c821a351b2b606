import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Eraser } from 'lucide-react';
import { useMemo, useState } from 'react';
import { ERASED_AT_ONCE_MAX } from '../../../src/domain/events/erasing';
import { BulkDialog } from '../../parts/bulk-dialog';
import { Button } from '../../parts/button';
import { Fact, Facts } from '../../parts/page';
import { openFilterOf, type Span, SpanFields, spanOf } from '../../parts/time-span';
import { Untrusted } from '../../parts/untrusted';
import { ConditionInputs } from '../endpoints/content/condition-inputs';
import { type FilterRow, hasValue, isWhole, isWritten, NEW_ROW } from '../endpoints/content/filter-rows';
import { readValue } from '../endpoints/content/filter-values';
import { ERASE_EVENTS } from '../operations/documents';
import { useBulkOperation } from '../operations/use-bulk-operation';
import type { EventFilterInput } from './event-filter';
import { ReasonField } from './reason-field';

/** The button that erases the payloads of all events that a list has, which a search of its own cannot choose. */
export function EraseMatching({ filter }: { filter: EventFilterInput }) {
  const { t } = useLingui();
  const [asked, setAsked] = useState(false);
  const isSearch = filter.payloadContains !== undefined || filter.idempotencyKey !== undefined;
  return (
    <>
      <Button
        icon={<Eraser />}
        onClick={() => setAsked(true)}
        refused={isSearch ? t`Clear the text and the key first.` : undefined}
      >
        <Trans>Erase matching …</Trans>
      </Button>
      {asked && <MatchingDialog filter={filter} onClose={() => setAsked(false)} />}
    </>
  );
}

/** Counts the events that match, asks why, and starts one operation that erases their payloads. */
function MatchingDialog({ filter, onClose }: { filter: EventFilterInput; onClose: () => void }) {
  const { t } = useLingui();
  // The list behind goes on: what was counted is what is erased.
  const [{ eventType, ...times }] = useState(filter);
  const [span, setSpan] = useState<Span>(() => spanOf(times));
  const [row, setRow] = useState<FilterRow>({ key: 0, ...NEW_ROW });
  const [reason, setReason] = useState('');
  const input = useMemo(() => inputOf(eventType, span, row), [eventType, span, row]);
  const work = useBulkOperation(ERASE_EVENTS, input, (confirm) => ({ confirm, reason }));
  return (
    <BulkDialog
      title={t`Erase matching events`}
      danger
      work={{ ...work, busy: work.busy || reason.trim() === '' }}
      action={(total, text) => plural(total, { one: 'Erase one event', other: `Erase ${text} events` })}
      consequence={(total) =>
        total > ERASED_AT_ONCE_MAX
          ? t`Their payloads are erased for good. It begins in ten minutes, and can be canceled until then.`
          : t`Their payloads are erased for good, and open deliveries are canceled.`
      }
      onClose={onClose}
    >
      {eventType !== undefined && (
        <Facts>
          <Fact name={t`Event type`}>
            <Untrusted text={eventType} />
          </Fact>
        </Facts>
      )}
      <Condition row={row} onChange={setRow} />
      <SpanFields open span={span} onChange={setSpan} />
      <ReasonField value={reason} onChange={setReason} refusal={undefined} />
    </BulkDialog>
  );
}

function Condition({ row, onChange }: { row: FilterRow; onChange: (row: FilterRow) => void }) {
  return (
    <div>
      <p className="mb-1 text-sm font-medium">
        <Trans>Condition on the payload</Trans>
      </p>
      <div className="flex flex-wrap items-center gap-2">
        <ConditionInputs row={row} onChange={onChange} examples={{ path: 'customer.id', value: '42' }} />
      </div>
      <p className="mt-1 text-xs text-soft">
        <Trans>Leave it empty for all events. Quotes make a text of a number: "42".</Trans>
      </p>
    </div>
  );
}

/** Undefined while the choice is not whole. */
function inputOf(eventType: string | undefined, span: Span, row: FilterRow) {
  const times = openFilterOf(span);
  const isChosen = isWritten(row);
  if (times === undefined || (isChosen && !isWhole(row))) {
    return undefined;
  }
  const { path, op, value } = row;
  const given = hasValue(op) ? { value: readValue(value, op, undefined) } : {};
  const filter = {
    ...times,
    ...(eventType === undefined ? {} : { eventTypes: [eventType] }),
    ...(isChosen ? { field: { path: path.trim(), op, ...given } } : {}),
  };
  return Object.keys(filter).length === 0 ? undefined : { filter };
}
