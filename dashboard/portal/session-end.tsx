import { Plural, Trans } from '@lingui/react/macro';
import { isFramed } from '../api/tab-storage';
import { Answer } from '../parts/page';
import { WayBack } from './way-back';

/** Says that the session is about to end, and how to go on. */
export default function SessionEnd({ minutes, returnUrl }: { minutes: number; returnUrl: string | null }) {
  return (
    <aside className="fixed inset-x-0 bottom-0 z-10 mx-auto max-w-380 px-3 pb-3 sm:px-5">
      <Answer tone="warn" actions={<WayBack returnUrl={returnUrl} />}>
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
