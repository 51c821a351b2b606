import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { buttonLook } from './button';

export interface MenuItem {
  name: string;
  run: () => void;
  danger?: boolean;
  /** Why it cannot be chosen now: shown below the name. */
  refused?: string | undefined;
}

/** A button with a menu of actions. @param label the name of a button that is an icon alone. */
export function Menu({
  label,
  look = 'plain',
  items,
  children,
}: {
  label?: string;
  look?: 'plain' | 'quiet';
  items: readonly MenuItem[];
  children: ReactNode;
}) {
  return (
    <BaseMenu.Root>
      <BaseMenu.Trigger aria-label={label} title={label} className={buttonLook(look, label !== undefined)}>
        {children}
      </BaseMenu.Trigger>
      <BaseMenu.Portal>
        <BaseMenu.Positioner sideOffset={6} align="end" className="z-20">
          <BaseMenu.Popup className="max-w-72 min-w-48 rounded-lg border border-line bg-raised p-1 text-sm shadow-xl">
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
