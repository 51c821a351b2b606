import { useLingui } from '@lingui/react/macro';
import { Ellipsis } from 'lucide-react';
import { Button } from '../../../parts/button';
import { useMedia } from '../../../parts/media';
import { Menu } from '../../../parts/menu';
import { useGo } from '../../../parts/place';
import { canCancel, type SendAction } from '../one/use-send';
import type { Row } from './use-feed';

export interface RowActionsProps {
  send: SendAction;
  cancel: () => void;
}

/** Devices without a pointer that can hover, and narrow windows, have a menu. */
const TOUCH = '(hover: none), (width < 40rem)';

/** What can be done with the delivery of a row: its button shows on hover and focus; a phone has a menu. */
export function RowActions({ row, send, cancel }: RowActionsProps & { row: Row }) {
  const { t } = useLingui();
  const go = useGo();
  const { webhook } = row;
  if (!useMedia(TOUCH)) {
    return (
      <span className="-my-1 flex opacity-0 group-hover:opacity-100 group-data-current:opacity-100 focus-within:opacity-100">
        <Button
          look="quiet"
          icon={send.icon}
          label={`${send.name}: ${row.databaseId}`}
          refused={send.refused}
          onClick={send.run}
        />
      </span>
    );
  }
  const items = [
    { name: send.name, run: send.run, refused: send.refused },
    ...(canCancel(row) ? [{ name: t`Cancel`, run: cancel, danger: true }] : []),
    ...(webhook ? [{ name: t`Open the endpoint`, run: () => go(`/endpoints/${webhook.databaseId}`) }] : []),
  ];
  return (
    <span className="-my-1 flex justify-end max-sm:-mx-2">
      <Menu look="quiet" label={t`Actions`} items={items}>
        <Ellipsis aria-hidden />
      </Menu>
    </span>
  );
}
