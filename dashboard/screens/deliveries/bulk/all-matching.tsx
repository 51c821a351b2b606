import { Trans, useLingui } from '@lingui/react/macro';
import { ChevronDown } from 'lucide-react';
import { memo, useState } from 'react';
import { Menu } from '../../../parts/menu';
import type { DeliveryFilterInput, Filters } from '../filters/filters';
import { BULK_ACTIONS, type BulkAction, type BulkObstacle, obstacleTo } from './bulk-forms';
import { useBulkWords } from './bulk-words';
import { MatchingDialog } from './matching-dialog';

/** The actions on all deliveries that match the filters, shown or not. */
export const AllMatching = memo(function AllMatching(props: { filters: Filters; filter: DeliveryFilterInput }) {
  const { t } = useLingui();
  const words = useBulkWords();
  const [doing, setDoing] = useState<BulkAction>();
  const refusals: Record<BulkObstacle, (action: BulkAction) => string> = {
    state: (action) => words[action].allSkipped,
    everything: () => t`Set a filter first.`,
  };
  const items = BULK_ACTIONS.map((action) => {
    const obstacle = obstacleTo(action, props.filter);
    return {
      name: words[action].name,
      run: () => setDoing(action),
      refused: obstacle && refusals[obstacle](action),
    };
  });
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
