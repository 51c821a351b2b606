import { useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import MenuPopup, { type MenuPlace } from '../../../parts/menu-popup';
import type { DeliveryFilterInput, Filters } from '../filters/filters';
import { BULK_ACTIONS, type BulkAction, type BulkObstacle, obstacleTo } from './bulk-forms';
import { useBulkWords } from './bulk-words';
import { MatchingDialog } from './matching-dialog';

export interface MatchingProps {
  filters: Filters;
  filter: DeliveryFilterInput;
}

/** The actions on all deliveries that match the filters, shown or not. */
export default function MatchingMenu({ filters, filter, ...place }: MatchingProps & MenuPlace) {
  const { t } = useLingui();
  const words = useBulkWords();
  const [doing, setDoing] = useState<BulkAction>();
  const refusals: Record<BulkObstacle, (action: BulkAction) => string> = {
    state: (action) => words[action].allSkipped,
    everything: () => t`Set a filter first.`,
  };
  const items = BULK_ACTIONS.map((action) => {
    const obstacle = obstacleTo(action, filter);
    return {
      name: words[action].name,
      run: () => setDoing(action),
      refused: obstacle && refusals[obstacle](action),
    };
  });
  return (
    <>
      <MenuPopup {...place} items={items} />
      {doing !== undefined && (
        <MatchingDialog filters={filters} filter={filter} action={doing} onClose={() => setDoing(undefined)} />
      )}
    </>
  );
}
