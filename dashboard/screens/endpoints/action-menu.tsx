import { Menu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import { buttonLook } from '../../parts/button';

/** A menu of what can be done. */
export function ActionMenu({
  label,
  icon,
  items,
}: {
  label: string;
  icon: ReactNode;
  items: readonly { name: string; danger: boolean; run: () => void }[];
}) {
  return (
    <Menu.Root>
      <Menu.Trigger aria-label={label} title={label} className={buttonLook('plain', true)}>
        {icon}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-20">
          <Menu.Popup className="min-w-52 rounded-lg border border-line bg-raised p-1 text-sm shadow-xl">
            {items.map(({ name, danger, run }) => (
              <Menu.Item
                key={name}
                onClick={run}
                className={`flex h-7 cursor-default items-center rounded-md px-2.5 outline-none data-highlighted:bg-sunken ${danger ? 'text-bad' : ''}`}
              >
                {name}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
