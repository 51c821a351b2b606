import { Trans } from '@lingui/react/macro';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { Button } from './button';
import { List } from './list';
import { Card } from './page';

const SHOWN = 6;

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
        rows.length > SHOWN && (
          <Button look="quiet" onClick={() => setAll(!all)}>
            {all ? <Trans>Show fewer</Trans> : showAll}
          </Button>
        )
      }
    >
      <List {...list} rows={all ? rows : rows.slice(0, SHOWN)} />
    </Card>
  );
}
