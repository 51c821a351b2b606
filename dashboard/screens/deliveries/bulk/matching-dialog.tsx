import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import { type TypedDocumentNode, useQuery } from 'urql';
import type { AttemptMatchingMutation } from '../../../api/generated/graphql';
import { BulkDialog } from '../../../parts/bulk-dialog';
import { Fact, Facts } from '../../../parts/page';
import { openFilterOf, type Span, SpanFields, spanOf } from '../../../parts/time-span';
import { Untrusted } from '../../../parts/untrusted';
import { ATTEMPT_MATCHING, CANCEL_DELIVERIES, RECOVER_DELIVERIES } from '../../operations/documents';
import { useBulkOperation } from '../../operations/use-bulk-operation';
import { FILTER_CHOICES } from '../documents';
import { FILTER_NAMES, useChips } from '../filters/filter-names';
import type { DeliveryFilterInput, Filters } from '../filters/filters';
import { type BulkAction, obstacleTo } from './bulk-forms';
import { useBulkWords } from './bulk-words';

type Matching = TypedDocumentNode<
  { run: AttemptMatchingMutation['run'] },
  { input: { filter: DeliveryFilterInput; dryRun?: boolean | null } }
>;

const OPERATIONS: Record<BulkAction, Matching> = {
  resend: RECOVER_DELIVERIES,
  attempt: ATTEMPT_MATCHING,
  cancel: CANCEL_DELIVERIES,
};

const TIMES: readonly string[] = ['range', 'since', 'until'];

/** Starts one operation over all deliveries that match, at any endpoints. Its time can still be chosen here. */
export function MatchingDialog({
  action,
  onClose,
  ...props
}: {
  action: BulkAction;
  filters: Filters;
  filter: DeliveryFilterInput;
  onClose: () => void;
}) {
  const { i18n } = useLingui();
  const words = useBulkWords()[action];
  // The list behind goes on, and `now` with it: what was counted is what is done.
  const [{ filters, filter }] = useState(props);
  const [span, setSpan] = useState<Span>();
  const input = useMemo(() => inputWith(action, filter, span), [action, filter, span]);
  const work = useBulkOperation(OPERATIONS[action], input);
  const [{ data: choices }] = useQuery({ query: FILTER_CHOICES, requestPolicy: 'cache-first' });
  const chips = useChips(filters, choices).filter((chip) => !TIMES.includes(chip.filter));
  return (
    <BulkDialog {...words} work={work} onClose={onClose}>
      {chips.length > 0 && (
        <Facts>
          {chips.map((chip) => (
            <Fact key={chip.filter} name={i18n._(FILTER_NAMES[chip.filter])}>
              <Untrusted text={chip.value} />
            </Fact>
          ))}
        </Facts>
      )}
      <SpanFields open span={span ?? spanOf(filter)} onChange={setSpan} />
      {action === 'resend' && filter.status === undefined && (
        <p className="text-soft">
          <Trans>Includes failed deliveries and those held for too long. Filter by another state to send others.</Trans>
        </p>
      )}
      {action === 'resend' && (
        <p className="text-soft">
          <Trans>Test checks are not included.</Trans>
        </p>
      )}
      {action === 'attempt' && (
        <p className="text-soft">
          <Trans>A pause that an endpoint asked for still holds: its deliveries are sent after it.</Trans>
        </p>
      )}
    </BulkDialog>
  );
}

/** The filter with the chosen time; undefined where that is not a span, or leaves no condition. */
function inputWith(action: BulkAction, filter: DeliveryFilterInput, span: Span | undefined) {
  if (span === undefined) {
    return { filter };
  }
  const { since: _, until: __, ...others } = filter;
  const times = openFilterOf(span);
  const chosen = times && { ...others, ...times };
  return chosen && obstacleTo(action, chosen) === undefined ? { filter: chosen } : undefined;
}
