import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { FILTER_NAMES } from '../filters/filter-names';
import { cancelAll, type DeliveryFilterInput, type Filters, resendAll } from '../filters/filters';
import { BulkRun } from './bulk-run';

interface MatchingProps {
  action: 'resend' | 'cancel';
  filters: Filters;
  filter: DeliveryFilterInput;
  onChange: (change: Filters) => void;
  onClose: () => void;
}

/** Sends all that match again, or cancels it: counts first, asks, then shows how far the operation has come. */
export function MatchingDialog({ action, filters, filter, onChange, onClose }: MatchingProps) {
  const { t, i18n } = useLingui();
  const form = action === 'resend' ? resendAll(filters, filter) : cancelAll(filters, filter);
  const title = action === 'resend' ? <Trans>Send all that match again</Trans> : <Trans>Cancel all that match</Trans>;
  if (form.possible) {
    return <BulkRun action={action} input={form.input} filters={filters} title={title} onClose={onClose} />;
  }
  const names = new Intl.ListFormat(i18n.locale).format(form.remove.map((name) => i18n._(FILTER_NAMES[name])));
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        form.remove.length === 0 ? undefined : (
          <Button
            look="primary"
            onClick={() => onChange(Object.fromEntries(form.remove.map((name) => [name, undefined])))}
          >
            {t`Take off: ${names}`}
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-2 text-sm">
        {form.remove.length > 0 && (
          <p>
            {action === 'resend' ? (
              <Trans>
                All at once can be chosen by endpoint, time, and one state that is final. The filter by {names} cannot
                be part of it.
              </Trans>
            ) : (
              <Trans>
                All at once can be chosen by endpoint, event type, time, and the states pending and held. The filter by{' '}
                {names} cannot be part of it.
              </Trans>
            )}
          </p>
        )}
        {form.need === 'endpoint' && (
          <p>
            <Trans>Deliveries are sent again one endpoint at a time: filter by an endpoint first.</Trans>
          </p>
        )}
        {form.need === 'any' && (
          <p>
            <Trans>
              This would cancel everything that is open. Filter by an endpoint, an event type, a state or a time first.
            </Trans>
          </p>
        )}
        <p className="text-soft">
          <Trans>Or choose deliveries in the list, and send or cancel those.</Trans>
        </p>
      </div>
    </Dialog>
  );
}
