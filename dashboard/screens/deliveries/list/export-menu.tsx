import { Trans } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import { memo } from 'react';
import { MenuButton } from '../../../parts/menu';
import type { MenuPlace } from '../../../parts/menu-popup';
import { whenWanted } from '../../../parts/when-wanted';
import type { ExportProps } from './export-choices';

const ExportChoices = whenWanted<ExportProps & MenuPlace>(() => import('./export-choices'));

/** Saves the rows that the page has as a file. */
export const ExportMenu = memo(function ExportMenu(props: ExportProps) {
  return (
    <MenuButton popup={(place) => <ExportChoices wanted={place.open} {...place} {...props} />}>
      <Download aria-hidden />
      <Trans>Export</Trans>
    </MenuButton>
  );
});
