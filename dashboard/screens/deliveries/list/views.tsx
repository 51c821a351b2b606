import { useLingui } from '@lingui/react/macro';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { useReadAgain } from '../../../parts/refresh';
import { Segments } from '../../../parts/segments';
import { countUpTo } from '../../../text/numbers';
import { DELIVERY_COUNTS } from '../documents';
import { hintOf, STATE_NAMES } from '../filters/filter-names';
import { canCheck, type DeliveryFilterInput, type Filters, VIEWS } from '../filters/filters';

/** The API counts no further. */
const COUNTED_MAX = 1_000;

/** The list by state, each with its count under the other filters. Where counting takes too long there is none. */
export function Views({
  filters: { status },
  filter,
  onChange,
}: {
  filters: Filters;
  filter: DeliveryFilterInput;
  onChange: (change: Filters) => void;
}) {
  const { t, i18n } = useLingui();
  const others = useMemo(() => {
    const { status: _, retrying: __, lastAttemptFailed: ___, ...rest } = filter;
    return rest;
  }, [filter]);
  const [{ data, stale }, readAgain] = useQuery({
    query: DELIVERY_COUNTS,
    variables: { filter: others },
    requestPolicy: 'cache-and-network',
  });
  const counts = data?.deliveryCounts;
  // What is too slow to count once is not counted again and again.
  const isQuick = counts != null && Object.values(counts).every((value) => value !== null);
  useReadAgain(() => readAgain({ requestPolicy: 'network-only' }), canCheck(filter) && isQuick && !stale);
  const name = (words: string, value: number | null | undefined) =>
    value == null ? words : `${words} ${countUpTo(value, COUNTED_MAX)}`;
  const options = [
    { value: '', name: name(t`All`, counts?.all) },
    ...VIEWS.map((view) => ({
      value: view,
      name: name(i18n._(STATE_NAMES[view]), counts?.[COUNTS[view]]),
      hint: hintOf(view, i18n),
    })),
  ];
  return (
    <div className="mb-2">
      <Segments
        label={t`Views`}
        options={options}
        value={status ?? ''}
        onChange={(view) => onChange({ status: view === '' ? undefined : view })}
      />
    </div>
  );
}

const COUNTS = {
  RETRYING: 'retrying',
  FAILED: 'failed',
  ATTEMPT_FAILED: 'lastAttemptFailed',
  HELD: 'held',
  SUCCEEDED: 'delivered',
} as const;
