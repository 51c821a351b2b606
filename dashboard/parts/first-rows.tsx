import { Trans } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { count } from '../text/numbers';
import { Button } from './button';
import { useMedia } from './media';

/**
 * The first rows of a list that stands among other parts: two on a phone, else three.
 *
 * @returns the rows to show, and the button that shows the others; undefined where there are none
 */
export function useFirstRows<Row>(rows: readonly Row[]): [shown: readonly Row[], all: ReactNode] {
  const [isWhole, setWhole] = useState(false);
  const most = useMedia('(width < 30rem)') ? 2 : 3;
  return isWhole || rows.length <= most
    ? [rows, undefined]
    : [
        rows.slice(0, most),
        <Button key="all" look="quiet" onClick={() => setWhole(true)}>
          <Trans>Show all {count(rows.length)}</Trans>
        </Button>,
      ];
}
