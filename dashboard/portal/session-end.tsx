import { Plural, Trans } from '@lingui/react/macro';
import { useSyncExternalStore } from 'react';
import { sessions } from '../api/session';
import { isFramed } from '../api/tab-storage';
import { Answer } from '../parts/page';
import { useClock } from '../parts/time';
import { WayBack } from './way-back';

/** In a frame the parent page has had a minute by then to renew the session. */
const NOTICE_MS = isFramed ? 60_000 : 300_000;

/** Says that the session is about to end, and how to go on. */
export function SessionEnd() {
  const { session } = useSyncExternalStore(sessions.subscribe, sessions.read);
  const endsAt = session?.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY;
  const minutes = useClock(() => {
    const leftMs = endsAt - Date.now(); // by this machine's clock, as the session has its end
    return leftMs > NOTICE_MS ? null : Math.ceil(leftMs / 60_000);
  });
  if (minutes === null) {
    return null;
  }
  return (
    <aside className="fixed inset-x-0 bottom-0 z-10 mx-auto max-w-380 px-3 pb-3 sm:px-5">
      <Answer tone="warn" actions={<WayBack returnUrl={session?.returnUrl ?? null} />}>
        {minutes <= 1 ? (
          <Trans>Your session ends within a minute.</Trans>
        ) : (
          <Plural value={minutes} one="Your session ends in # minute." other="Your session ends in # minutes." />
        )}{' '}
        {isFramed ? (
          <Trans>Reload this page to continue.</Trans>
        ) : (
          <Trans>
            To continue, open your webhooks again from the product that sends them, or ask for a new invitation.
          </Trans>
        )}
      </Answer>
    </aside>
  );
}
