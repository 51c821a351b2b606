import { Trans } from '@lingui/react/macro';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Button } from './button';
import { List } from './list';
import { Card } from './page';

const SHOWN = 6;
/** On a phone, where rows are cards, and the figures below them are to be near. */
const CARDS_SHOWN = 3;

/** The first rows of a list that begins with the worst, and a button for the others. @param showAll the button's words */
export function WorstCard<Row>({
  title,
  showAll,
  rows,
  ...list
}: { title: ReactNode; showAll: ReactNode } & ComponentProps<typeof List<Row>>) {
  const [all, setAll] = useState(false);
  return (
    <Card
      flush
      title={title}
      actions={
        rows.length > CARDS_SHOWN && (
          <span className={rows.length > SHOWN ? '' : 'cards:hidden'}>
            <Button look="quiet" onClick={() => setAll(!all)}>
              {all ? <Trans>Show fewer</Trans> : showAll}
            </Button>
          </span>
        )
      }
    >
      <div className={all ? '' : 'max-cards:[&_tbody>tr:nth-child(n+4)]:hidden!'}>
        <List {...list} rows={all ? rows : rows.slice(0, SHOWN)} />
      </div>
    </Card>
  );
}
