import { useLingui } from '@lingui/react/macro';
import { Settings2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from './button';
import type { PreferencesMenuProps } from './preferences-menu';
import { whenWanted } from './when-wanted';

const PreferencesMenu = whenWanted<PreferencesMenuProps>(() => import('./preferences-menu'));

/** The menu of what a person chooses for this page: theme, language, time zone; and signing out. */
export function Preferences({ onHelp, canLeave }: { onHelp: () => void; canLeave: boolean }) {
  const { t } = useLingui();
  const [open, setOpen] = useState(false);
  const anchor = useRef<HTMLSpanElement>(null);
  return (
    <span ref={anchor}>
      <Button
        look="quiet"
        icon={<Settings2 />}
        label={t`Preferences`}
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      />
      <PreferencesMenu
        wanted={open}
        open={open}
        onOpenChange={setOpen}
        anchor={anchor}
        onHelp={onHelp}
        canLeave={canLeave}
      />
    </span>
  );
}
