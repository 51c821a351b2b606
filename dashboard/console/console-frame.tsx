import { Trans, useLingui } from '@lingui/react/macro';
import { Outlet, useMatchRoute } from '@tanstack/react-router';
import { useCurrentInView } from '../parts/current-in-view';
import { type FinderProps, FrameTools } from '../parts/frame-tools';
import { Link } from '../parts/place';
import { useViewer } from '../parts/viewer';
import { whenWanted } from '../parts/when-wanted';
import { Brand } from './brand';
import { GoTo } from './go-to';
import { useConsoleScreens } from './screens';

const TenantFinder = whenWanted<FinderProps>(() => import('./tenant-finder'));

/** The frame around the console's own screens. A tenant's key has none of them: it goes to its tenant. */
export function ConsoleFrame() {
  const { t, i18n } = useLingui();
  const { tenant } = useViewer();
  const isAt = useMatchRoute();
  const nav = useCurrentInView();
  const screens = useConsoleScreens();
  if (tenant != null) {
    return <GoTo to={`/tenants/${tenant.databaseId}`} />;
  }
  return (
    <div className="md:grid md:grid-cols-[15.5rem_minmax(0,1fr)]">
      <a href="#screen" className="sr-only focus:not-sr-only">
        <Trans>To the content</Trans>
      </a>
      <header className="sticky top-0 z-10 border-b border-line bg-page/95 px-3 backdrop-blur-sm md:h-screen md:border-e md:border-b-0 md:pt-2">
        <div className="flex h-12 items-center md:ps-1.5">
          <Link to="/" className="text-ink no-underline">
            <Brand />
          </Link>
          <FrameTools finder={TenantFinder} canLeave narrow />
        </div>
        <nav
          ref={nav}
          aria-label={t`Screens`}
          className="-mx-3 flex gap-0.5 overflow-x-auto px-2 pb-1.5 [scrollbar-width:none] md:mx-0 md:mt-2 md:flex-col md:px-0"
        >
          {screens.map(({ path, name, icon: Icon }) => (
            <Link
              key={path}
              to={path}
              aria-current={isAt({ to: path as string, fuzzy: path !== '/' }) ? 'page' : undefined}
              className="flex h-8 shrink-0 items-center gap-2 rounded-md px-2 text-sm whitespace-nowrap text-soft no-underline hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
            >
              <Icon aria-hidden className="size-4 shrink-0 max-md:hidden" />
              {i18n._(name)}
            </Link>
          ))}
        </nav>
      </header>
      <main id="screen" className="min-w-0 px-3 pt-5 pb-16 sm:px-6">
        <div className="max-w-380">
          <Outlet />
        </div>
      </main>
    </div>
  );
}
