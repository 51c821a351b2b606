import type { MessageDescriptor } from '@lingui/core';
import { Trans, useLingui } from '@lingui/react/macro';
import { Outlet, useMatchRoute } from '@tanstack/react-router';
import { type ReactNode, useContext, useSyncExternalStore } from 'react';
import { NameAndId } from './cells';
import { useCurrentInView } from './current-in-view';
import { type FinderProps, FrameTools } from './frame-tools';
import { useShortcuts } from './keyboard';
import { currentLook } from './look';
import { Link, PlaceContext, useGo } from './place';
import { screensFor } from './screens';
import { useViewer } from './viewer';
import { whenWanted } from './when-wanted';

const Finder = whenWanted<FinderProps>(() => import('./finder'));

/**
 * What stands around each screen of a tenant: its tabs, the search for ids, preferences.
 *
 * @param brand before the tenant's name.
 * @param notice after it.
 * @param more screens that this place alone has, after the others.
 */
export function TenantFrame({
  brand,
  notice,
  more = [],
  canLeave,
}: {
  brand?: ReactNode;
  notice?: ReactNode;
  more?: readonly { path: string; name: MessageDescriptor }[];
  canLeave: boolean;
}) {
  const { t, i18n } = useLingui();
  const viewer = useViewer();
  const place = useContext(PlaceContext);
  const isAt = useMatchRoute();
  const nav = useCurrentInView();
  const { header } = useSyncExternalStore(currentLook.subscribe, currentLook.read);
  const screens = screensFor(viewer);
  const go = useGo();
  useShortcuts(screens.map(({ path, key, name }) => ({ keys: `g ${key}`, does: i18n._(name), run: () => go(path) })));
  return (
    <div className="mx-auto max-w-380 px-3 pb-16 sm:px-5">
      <a href="#screen" className="sr-only focus:not-sr-only">
        <Trans>To the content</Trans>
      </a>
      <header className="sticky top-0 z-10 -mx-3 mb-5 border-b border-line bg-page/95 px-3 backdrop-blur-sm sm:-mx-5 sm:px-5">
        {header && (
          <div className="flex h-12 items-center gap-3">
            <div className="flex min-w-0 items-center gap-2.5 text-sm font-semibold">
              {brand}
              <span className="truncate max-sm:line-clamp-2 max-sm:whitespace-normal max-sm:[overflow-wrap:anywhere]">
                <NameAndId name={viewer.tenant?.name ?? ''} externalId={viewer.tenant?.externalId} />
              </span>
              {notice}
            </div>
            <FrameTools finder={Finder} canLeave={canLeave} />
          </div>
        )}
        <div className="flex items-center gap-2">
          <nav
            ref={nav}
            aria-label={t`Screens`}
            className="-mx-2.5 -mb-px flex min-w-0 gap-0.5 overflow-x-auto [scrollbar-width:none]"
          >
            {[...screens, ...more].map(({ path, name }) => {
              const here = isAt({ to: `${place}${path}` as string, fuzzy: true });
              return (
                <Link
                  key={path}
                  to={path}
                  aria-current={here ? 'page' : undefined}
                  className="border-b-2 border-transparent px-2.5 py-2 text-sm whitespace-nowrap text-soft no-underline hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink"
                >
                  {i18n._(name)}
                </Link>
              );
            })}
          </nav>
          {!header && <FrameTools finder={Finder} canLeave={canLeave} narrow />}
        </div>
      </header>
      <main id="screen">
        <Outlet />
      </main>
    </div>
  );
}
