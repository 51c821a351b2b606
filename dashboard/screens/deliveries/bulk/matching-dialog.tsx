import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { useQuery } from 'urql';
import { BulkDialog, type BulkWork } from '../../../parts/bulk-dialog';
import { Button } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { Fact, Facts } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { CANCEL_DELIVERIES, RECOVER } from '../../operations/documents';
import { useBulkOperation } from '../../operations/use-bulk-operation';
import { FILTER_CHOICES } from '../documents';
import { FILTER_NAMES, useChips } from '../filters/filter-names';
import type { DeliveryFilterInput, Filters } from '../filters/filters';
import { type BulkForm, cancelAll, type RecoverInput, resendAll } from './bulk-forms';
import { type BulkAction, useBulkWords } from './bulk-words';
import { useFilterNames } from './use-filter-names';

interface MatchingProps {
  action: BulkAction;
  filters: Filters;
  filter: DeliveryFilterInput;
  onChange: (change: Filters) => void;
  onClose: () => void;
}

/** Sends all that match again, or cancels it; or says what stands in the way. */
export function MatchingDialog(props: MatchingProps) {
  const resend = resendAll(props.filters, props.filter);
  const cancel = cancelAll(props.filters, props.filter);
  if (props.action === 'resend') {
    return resend.possible ? <ResendAll {...props} input={resend.input} /> : <Obstacles {...props} {...resend} />;
  }
  return cancel.possible ? <CancelAll {...props} input={cancel.input} /> : <Obstacles {...props} {...cancel} />;
}

// The list behind goes on, and `now` with it: what was counted is what is done.

function ResendAll(props: MatchingProps & { input: RecoverInput }) {
  const [input] = useState(props.input);
  return (
    <AllDialog {...props} work={useBulkOperation(RECOVER, input)}>
      {props.filters.status === undefined && (
        <p className="text-soft">
          <Trans>Includes failed deliveries and those held for too long. Filter by another state to send others.</Trans>
        </p>
      )}
    </AllDialog>
  );
}

function CancelAll(props: MatchingProps & { input: DeliveryFilterInput }) {
  const [input] = useState({ filter: props.input });
  return <AllDialog {...props} work={useBulkOperation(CANCEL_DELIVERIES, input)} />;
}

function AllDialog({
  action,
  filters,
  work,
  children,
  onClose,
}: MatchingProps & { work: BulkWork; children?: ReactNode }) {
  const { i18n } = useLingui();
  const words = useBulkWords()[action];
  const [{ data: choices }] = useQuery({ query: FILTER_CHOICES, requestPolicy: 'cache-first' });
  return (
    <BulkDialog {...words} work={work} onClose={onClose}>
      <Facts>
        {useChips(filters, choices).map(({ filter, value }) => (
          <Fact key={filter} name={i18n._(FILTER_NAMES[filter])}>
            <Untrusted text={value} />
          </Fact>
        ))}
      </Facts>
      {children}
    </BulkDialog>
  );
}

function Obstacles({
  action,
  remove,
  need,
  onChange,
  onClose,
}: MatchingProps & Extract<BulkForm<unknown>, { possible: false }>) {
  const { t } = useLingui();
  const names = useFilterNames(remove);
  return (
    <Dialog
      open
      onClose={onClose}
      title={useBulkWords()[action].title}
      actions={
        remove.length === 0 ? undefined : (
          <Button look="primary" onClick={() => onChange(Object.fromEntries(remove.map((name) => [name, undefined])))}>
            {t`Remove ${names}`}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-2 text-sm">
        {remove.length > 0 && (
          <p>
            {action === 'resend' ? (
              <Trans>Bulk resend supports endpoint, time and one final state. Remove this filter: {names}.</Trans>
            ) : (
              <Trans>
                Bulk cancel supports endpoint, event type, time, and pending or held. Remove this filter: {names}.
              </Trans>
            )}
          </p>
        )}
        {need === 'endpoint' && (
          <p>
            <Trans>Bulk resend works on one endpoint at a time. Filter by an endpoint first.</Trans>
          </p>
        )}
        {need === 'any' && (
          <p>
            <Trans>
              This would cancel every pending and held delivery. Filter by endpoint, event type, state or time first.
            </Trans>
          </p>
        )}
        <p className="text-soft">
          <Trans>Or select deliveries in the list.</Trans>
        </p>
      </div>
    </Dialog>
  );
}
