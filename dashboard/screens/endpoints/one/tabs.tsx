import { useLingui } from '@lingui/react/macro';
import { useShortcut } from '../../../parts/keyboard';
import { Link, useAddress, useGo } from '../../../parts/place';
import { type Tab, useTab } from '../actions';

/** The two sides of an endpoint: what it does, and how it is set up. */
export function Tabs({ number }: { number: number }) {
  const { t } = useLingui();
  const go = useGo();
  const current = useTab();
  const [address] = useAddress();
  const names: Record<Tab, string> = { activity: t`Activity`, settings: t`Settings` };
  const path = `/endpoints/${number}`;
  const searchOf = (tab: Tab) => ({ ...address, do: undefined, tab: tab === 'activity' ? undefined : tab });
  const other = current === 'activity' ? 'settings' : 'activity';
  useShortcut('t', names[other], () => go(path, searchOf(other)));
  return (
    <nav aria-label={t`Endpoint`} className="-mt-2 flex gap-5 border-b border-line text-sm font-medium">
      {(Object.keys(names) as Tab[]).map((tab) => (
        <Link
          key={tab}
          to={path}
          search={searchOf(tab)}
          activeOptions={{ exact: true }}
          aria-current={tab === current ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent py-2 text-soft no-underline hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink max-cards:py-3"
        >
          {names[tab]}
        </Link>
      ))}
    </nav>
  );
}
