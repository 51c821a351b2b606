import { type ReactNode, useRef, useState } from 'react';
import { buttonLook } from './button';
import type { MenuItem } from './menu-popup';
import { whenWanted } from './when-wanted';

const MenuPopup = whenWanted(() => import('./menu-popup'));

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
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        aria-label={label}
        title={label}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(true)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') {
            event.preventDefault();
            setOpen(true);
          }
        }}
        className={buttonLook(look, label !== undefined)}
      >
        {children}
      </button>
      <MenuPopup wanted={open} open={open} onOpenChange={setOpen} anchor={button} items={items} />
    </>
  );
}
