import { type ReactNode, useRef, useState } from 'react';
import { buttonLook } from './button';
import type { MenuItem, MenuPlace } from './menu-popup';
import { whenWanted } from './when-wanted';

const MenuPopup = whenWanted(() => import('./menu-popup'));

interface MenuButtonProps {
  /** The name of a button that is an icon alone. */
  label?: string;
  look?: 'plain' | 'quiet';
  children: ReactNode;
}

/** A button with a menu of actions. */
export function Menu({ items, ...button }: MenuButtonProps & { items: readonly MenuItem[] }) {
  return <MenuButton {...button} popup={(place) => <MenuPopup wanted={place.open} {...place} items={items} />} />;
}

/** The button of a menu whose actions, too, come when they are wanted. */
export function MenuButton({
  label,
  look = 'plain',
  popup,
  children,
}: MenuButtonProps & { popup: (place: MenuPlace) => ReactNode }) {
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
      {popup({ open, onOpenChange: setOpen, anchor: button })}
    </>
  );
}
