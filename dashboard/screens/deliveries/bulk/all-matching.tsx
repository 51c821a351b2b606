import { Trans } from '@lingui/react/macro';
import { ChevronDown } from 'lucide-react';
import { memo } from 'react';
import { MenuButton } from '../../../parts/menu';
import type { MenuPlace } from '../../../parts/menu-popup';
import { whenWanted } from '../../../parts/when-wanted';
import type { MatchingProps } from './matching-menu';

const MatchingMenu = whenWanted<MatchingProps & MenuPlace>(() => import('./matching-menu'));

/** The button of the actions on all deliveries that match the filters. */
export const AllMatching = memo(function AllMatching(props: MatchingProps) {
  return (
    <MenuButton popup={(place) => <MatchingMenu wanted={place.open} {...place} {...props} />}>
      <Trans>All that match</Trans>
      <ChevronDown aria-hidden />
    </MenuButton>
  );
});
