import { type ReactNode, useRef, useState } from 'react';
import { Button } from './button';
import type { MenuItem, MenuPopupProps } from './menu-popup';
import { whenWanted } from './when-wanted';

const MenuPopup = whenWanted<MenuPopupProps>(() => import('./menu-popup'));

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
  const anchor = useRef<HTMLSpanElement>(null);
  return (
    <span ref={anchor} className="inline-flex">
      <Button
        look={look}
        {...(label === undefined ? { children } : { label, icon: children })}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      />
      <MenuPopup wanted={open} open={open} onOpenChange={setOpen} anchor={anchor} items={items} />
    </span>
  );
}
