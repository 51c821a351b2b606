import { useSyncExternalStore } from 'react';
import { sessions } from '../api/session';
import { isFramed } from '../api/tab-storage';
import { useClock } from '../parts/time';
import { whenWanted } from '../parts/when-wanted';

const SessionEnd = whenWanted(() => import('./session-end'));

/** In a frame the parent page has had a minute by then to renew the session. */
const NOTICE_MS = isFramed ? 60_000 : 300_000;

/** Says that the session is about to end, and how to go on. */
export function SessionEndsSoon() {
  const { session } = useSyncExternalStore(sessions.subscribe, sessions.read);
  const endsAt = session?.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const minutes = useClock(() => {
    const leftMs = endsAt - Date.now(); // by this machine's clock, as the session has its end
    return leftMs > NOTICE_MS ? null : Math.ceil(leftMs / 60_000);
  });
  return minutes !== null && <SessionEnd wanted minutes={minutes} returnUrl={session?.returnUrl ?? null} />;
}
