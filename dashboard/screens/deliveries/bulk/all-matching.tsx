import { Trans, useLingui } from '@lingui/react/macro';
import { ChevronDown } from 'lucide-react';
import { memo, useState } from 'react';
import { Menu } from '../../../parts/menu';
import type { DeliveryFilterInput, Filters } from '../filters/filters';
import { type BulkForm, cancelAll, resendAll } from './bulk-forms';
import { type BulkAction, useBulkWords } from './bulk-words';
import { MatchingDialog } from './matching-dialog';
import { useFilterNames } from './use-filter-names';

/** The actions on all deliveries that match the filters, shown or not. */
export const AllMatching = memo(function AllMatching(props: {
  filters: Filters;
  filter: DeliveryFilterInput;
  onChange: (change: Filters) => void;
}) {
  const { filters, filter } = props;
  const { resend, cancel } = useBulkWords();
  const [doing, setDoing] = useState<BulkAction>();
  const items = [
    { name: resend.name, remark: useObstacle(resendAll(filters, filter)), run: () => setDoing('resend') },
    { name: cancel.name, remark: useObstacle(cancelAll(filters, filter)), run: () => setDoing('cancel') },
  ];
  return (
    <>
      <Menu items={items}>
        <Trans>All that match</Trans>
        <ChevronDown aria-hidden />
      </Menu>
      {doing !== undefined && <MatchingDialog {...props} action={doing} onClose={() => setDoing(undefined)} />}
    </>
  );
});

/** What stands in the way of an operation, in a few words. */
function useObstacle(form: BulkForm<unknown>): string | undefined {
  const { t } = useLingui();
  const names = useFilterNames(form.possible ? [] : form.remove);
  if (form.possible) {
    return undefined;
  }
  if (form.remove.length > 0) {
    return t`Not with the filter: ${names}`;
  }
  return form.need === 'endpoint' ? t`Filter by an endpoint first` : t`Set a filter first`;
}
