import { Trans } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { count } from '../text/numbers';
import { Button } from './button';

/** How many rows a part shows that stands among others. */
const SHOWN = 3;

/** The first rows of a list, and a button that shows the others. */
export function FirstRows<Row>({
  rows,
  children,
}: {
  rows: readonly Row[];
  children: (rows: readonly Row[]) => ReactNode;
}) {
  const [shows, setShows] = useState(false);
  const isWhole = shows || rows.length <= SHOWN + 1; // a button needs the room of a row
  return (
    <>
      {children(isWhole ? rows : rows.slice(0, SHOWN))}
      {!isWhole && (
        <div className="border-t border-line px-3.5 py-1.5">
          <Button look="quiet" onClick={() => setShows(true)}>
            <Trans>Show all {count(rows.length)}</Trans>
          </Button>
        </div>
      )}
    </>
  );
}
