import { Trans, useLingui } from '@lingui/react/macro';
import { Download } from 'lucide-react';
import { memo } from 'react';
import { Menu } from '../../../parts/menu';
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
  return (
    <Menu
      items={[
        { name: t`Loaded rows as CSV`, run: () => save('deliveries.csv', 'text/csv', toCsv) },
        { name: t`Loaded rows as JSON`, run: () => save('deliveries.json', 'application/json', toJson) },
      ]}
    >
      <Download aria-hidden />
      <Trans>Export</Trans>
    </Menu>
  );
});
