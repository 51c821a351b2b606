import { Menu } from '@base-ui/react/menu';
import { Trans, useLingui } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import { memo } from 'react';
import { buttonLook } from '../../../parts/button';
import { notify } from '../../../parts/toast';
import { count } from '../../../text/numbers';
import { toCsv, toJson } from './export';
import type { Feed } from './feed';
import type { Row } from './use-feed';

/** Saves the rows that the page has as a file. */
export const ExportMenu = memo(function ExportMenu({ feed }: { feed: Feed<Row> }) {
  const { t } = useLingui();
  const save = (name: string, type: string, write: (rows: readonly Row[]) => string) => {
    const shown = feed.loaded;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([write(shown)], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    notify(t`${count(shown.length)} deliveries are saved as ${name}.`);
  };
  const look = 'flex h-7 cursor-default items-center rounded-md px-2 text-sm outline-none data-highlighted:bg-sunken';
  return (
    <Menu.Root>
      <Menu.Trigger className={buttonLook('plain')}>
        <Download aria-hidden />
        <Trans>Export</Trans>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-20">
          <Menu.Popup className="min-w-40 rounded-lg border border-line bg-raised p-1 shadow-xl">
            <Menu.Item className={look} onClick={() => save('deliveries.csv', 'text/csv', toCsv)}>
              <Trans>Loaded rows as CSV</Trans>
            </Menu.Item>
            <Menu.Item className={look} onClick={() => save('deliveries.json', 'application/json', toJson)}>
              <Trans>Loaded rows as JSON</Trans>
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
});
