import { Menu } from '@base-ui/react/menu';
import { useLingui } from '@lingui/react/macro';
import { Check } from 'lucide-react';
import { type ReactNode, type RefObject, useContext } from 'react';
import { BASE } from '../api/base';
import { leave } from '../api/session';
import { chooseLanguage, LANGUAGES, type Language } from '../text/language';
import { clock } from './clock';
import { PlaceContext } from './place';
import { chooseTheme, currentTheme, isThemeFixed, type Theme } from './theme';
import { useClock } from './time';
import { notify } from './toast';
import { useViewer } from './viewer';

export interface PreferencesMenuProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  anchor: RefObject<HTMLElement | null>;
  onHelp: () => void;
  canLeave: boolean;
}

export default function PreferencesMenu({ open, onOpenChange, anchor, onHelp, canLeave }: PreferencesMenuProps) {
  const { t, i18n } = useLingui();
  const utc = useClock(() => clock.utc());
  const viewer = useViewer();
  // A tenant's key needs not name it.
  const tenantId = /\/tenants\/(\d+)\b/.exec(useContext(PlaceContext))?.[1];
  const themes: [Theme, string][] = [
    ['auto', t`System theme`],
    ['light', t`Light`],
    ['dark', t`Dark`],
  ];
  const signOut = () =>
    leave().catch(() => notify(t`You are still signed in.`, t`The service could not be reached: try again.`));
  return (
    <Menu.Root open={open} onOpenChange={onOpenChange}>
      <Menu.Portal>
        <Menu.Positioner anchor={anchor} sideOffset={6} align="end" className="z-20">
          <Menu.Popup className="min-w-52 rounded-lg border border-line bg-raised p-1 text-sm shadow-xl">
            {!isThemeFixed() && (
              <>
                {themes.map(([theme, name]) => (
                  <Item key={theme} ticked={currentTheme() === theme} onClick={() => chooseTheme(theme)}>
                    {name}
                  </Item>
                ))}
                <Menu.Separator className="my-1 h-px bg-line" />
              </>
            )}
            {Object.entries(LANGUAGES).map(([language, name]) => (
              <Item
                key={language}
                ticked={i18n.locale === language}
                onClick={() => void chooseLanguage(language as Language)}
              >
                <span lang={language}>{name}</span>
              </Item>
            ))}
            <Menu.Separator className="my-1 h-px bg-line" />
            <Item ticked={utc} onClick={() => clock.setUtc(!utc)}>
              {t`Times in UTC`}
            </Item>
            <Item onClick={onHelp}>{t`Shortcuts`}</Item>
            {viewer.portalSession == null && <Item onClick={() => openGraphiql(tenantId)}>GraphiQL</Item>}
            {canLeave && <Item onClick={() => void signOut()}>{t`Sign out`}</Item>}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** Not `noopener`: the new tab takes a copy of what this one keeps, with the session. */
function openGraphiql(tenantId: string | undefined): void {
  window.open(`${BASE}/graphiql${tenantId === undefined ? '' : `#tenant=${tenantId}`}`);
}

function Item({ ticked, onClick, children }: { ticked?: boolean; onClick: () => void; children: ReactNode }) {
  return (
    <Menu.Item
      onClick={onClick}
      className="flex h-7 cursor-default items-center gap-2 rounded-md px-2 outline-none data-highlighted:bg-sunken"
    >
      <Check aria-hidden className={`size-3.5 text-accent ${ticked ? '' : 'invisible'}`} />
      {children}
    </Menu.Item>
  );
}
