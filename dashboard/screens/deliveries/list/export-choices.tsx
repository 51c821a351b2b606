import { useLingui } from '@lingui/react/macro';
import MenuPopup, { type MenuPlace } from '../../../parts/menu-popup';
import { notify } from '../../../parts/toast';
import { count } from '../../../text/numbers';
import { toCsv, toJson } from './export';
import type { Feed } from './feed';
import type { Row } from './use-feed';

export interface ExportProps {
  feed: Feed<Row>;
}

/** The kinds of file that the rows can be saved as. */
export default function ExportChoices({ feed, ...place }: ExportProps & MenuPlace) {
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
    <MenuPopup
      {...place}
      items={[
        { name: t`Loaded rows as CSV`, run: () => save('deliveries.csv', 'text/csv', toCsv) },
        { name: t`Loaded rows as JSON`, run: () => save('deliveries.json', 'application/json', toJson) },
      ]}
    />
  );
}
