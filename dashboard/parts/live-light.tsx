import { useLingui } from '@lingui/react/macro';
import { useSyncExternalStore } from 'react';
import { liveStates } from '../api/live-states';

/** Says whether what is shown follows what happens: nothing where no screen follows anything. */
export function LiveLight({ narrow }: { narrow?: boolean }) {
  const { t } = useLingui();
  const state = useSyncExternalStore(liveStates.subscribe, liveStates.read);
  if (state === 'off') {
    return null;
  }
  const [text, look, why = text] = {
    live: [t`Live`, 'bg-good'],
    connecting: [t`Connecting`, 'bg-info'],
    waiting: [t`Reconnecting`, 'bg-warn animate-pulse'],
    crowded: [
      t`Not live: no connection is free`,
      'bg-bad',
      t`Other windows use all connections that this browser has to the service. Close some, or use https.`,
    ],
  }[state] as [string, string, string?];
  return (
    <span role="status" className="inline-flex items-center gap-1.5 px-1 text-xs text-soft" title={why}>
      <span className={`size-1.5 rounded-full ${look}`} />
      <span className={narrow ? 'sr-only' : 'max-sm:sr-only'}>{text}</span>
    </span>
  );
}
