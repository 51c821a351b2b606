import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { RefObject } from 'react';

export interface MenuItem {
  name: string;
  run: () => void;
  danger?: boolean;
  /** Why it cannot be chosen now: shown below the name. */
  refused?: string | undefined;
}

export interface MenuPlace {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  anchor: RefObject<HTMLElement | null>;
}

/** The actions of a menu, below its button. */
export default function MenuPopup({ open, onOpenChange, anchor, items }: MenuPlace & { items: readonly MenuItem[] }) {
  return (
    <BaseMenu.Root open={open} onOpenChange={onOpenChange}>
      <BaseMenu.Portal>
        <BaseMenu.Positioner anchor={anchor} sideOffset={6} align="end" className="z-20">
          <BaseMenu.Popup
            finalFocus={anchor}
            className="max-w-72 min-w-48 rounded-lg border border-line bg-raised p-1 text-sm shadow-xl"
          >
            {items.map(({ name, run, danger, refused }) => (
              <BaseMenu.Item
                key={name}
                onClick={run}
                disabled={refused !== undefined}
                className={`flex min-h-7 cursor-default flex-col justify-center rounded-md px-2.5 py-1 outline-none data-disabled:text-faint data-highlighted:bg-sunken ${danger ? 'text-bad' : ''}`}
              >
                {name}
                {refused !== undefined && <span className="text-xs text-soft">{refused}</span>}
              </BaseMenu.Item>
            ))}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
