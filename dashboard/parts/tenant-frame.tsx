import { Trans, useLingui } from '@lingui/react/macro';
import { Outlet, useMatchRoute } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { type ReactNode, useContext, useState } from 'react';
import { Button } from './button';
import { Dialog } from './dialog';
import { currentShortcuts, useShortcut } from './keyboard';
import { LiveLight } from './live-light';
import { Link, PlaceContext } from './place';
import { Preferences } from './preferences';
import { TENANT_SCREENS } from './screens';
import { Untrusted } from './untrusted';
import { isAllowed, useViewer } from './viewer';
import { whenWanted } from './when-wanted';

const Finder = whenWanted<{ open: boolean; onClose: () => void }>(() => import('./finder'));

/** What stands around each screen of a tenant: its tabs, the search for ids, preferences. */
export function TenantFrame({ brand, canLeave }: { brand?: ReactNode; canLeave: boolean }) {
  const { t, i18n } = useLingui();
  const viewer = useViewer();
  const place = useContext(PlaceContext);
  const isAt = useMatchRoute();
  const [finding, setFinding] = useState(false);
  const [helping, setHelping] = useState(false);
  useShortcut('mod+k', t`Go to an id or a screen`, () => setFinding(true));
  useShortcut('?', t`Show these keys`, () => setHelping(true));
  return (
    <div className="mx-auto max-w-380 px-3 pb-16 sm:px-5">
      <a href="#screen" className="sr-only focus:not-sr-only">
        <Trans>To the content</Trans>
      </a>
      <header className="sticky top-0 z-10 -mx-3 mb-5 border-b border-line bg-page/95 px-3 backdrop-blur-sm sm:-mx-5 sm:px-5">
        <div className="flex h-12 items-center gap-3">
          <div className="flex min-w-0 items-center gap-2.5 text-sm font-semibold">
            {brand}
            <span className="truncate">
              <Untrusted text={viewer.tenant?.name ?? ''} />
            </span>
          </div>
          <div className="ml-auto flex items-center gap-2">
            <LiveLight />
            <Button
              look="plain"
              icon={<Search />}
              onClick={() => setFinding(true)}
              label={t`Find an id (Ctrl K)`}
            >
              <span className="max-sm:sr-only">
                <Trans>Find</Trans>
              </span>
              <kbd className="rounded-xs bg-sunken px-1 font-sans text-2xs text-faint max-sm:hidden">
                Ctrl K
              </kbd>
            </Button>
            <Preferences onHelp={() => setHelping(true)} canLeave={canLeave} />
          </div>
        </div>
        <nav
          aria-label={t`Screens`}
          className="-mx-2.5 -mb-px flex gap-0.5 overflow-x-auto [scrollbar-width:none]"
        >
          {TENANT_SCREENS.filter(({ scope }) => isAllowed(viewer, scope)).map(({ path, name }) => {
            const here = isAt({ to: `${place}${path}` as string, fuzzy: true });
            return (
              <Link
                key={path}
                to={path}
                aria-current={here ? 'page' : undefined}
                className="border-b-2 border-transparent px-2.5 py-2 text-sm whitespace-nowrap text-soft no-underline hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
              >
                {i18n._(name)}
              </Link>
            );
          })}
        </nav>
      </header>
      <main id="screen">
        <Outlet />
      </main>
      <Finder wanted={finding} open={finding} onClose={() => setFinding(false)} />
      <Dialog open={helping} onClose={() => setHelping(false)} title={<Trans>Keys</Trans>}>
        <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-2 text-sm">
          {currentShortcuts().map(({ keys, does }) => (
            <div key={keys} className="contents">
              <dt>
                <kbd className="rounded-sm border border-line-strong bg-sunken px-1.5 py-0.5 font-mono text-xs">
                  {keys.replace('mod+', 'Ctrl/⌘ ')}
                </kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </div>
  );
}
