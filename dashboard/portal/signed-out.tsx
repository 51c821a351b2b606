import { Trans } from '@lingui/react/macro';
import type { SignedOut } from '../api/session';
import { Answer } from '../parts/page';
import { Untrusted } from '../parts/untrusted';

/** What the portal shows without a session: why, and how to get back in. */
export function SignedOutPage({ why, refusal }: { why: SignedOut; refusal: string | undefined }) {
  return (
    <div className="mx-auto max-w-xl p-6">
      <Answer tone={why === 'left' ? 'info' : 'warn'}>
        <p className="font-medium">
          {refusal !== undefined ? (
            <Untrusted text={refusal} />
          ) : (
            {
              nobody: <Trans>This page opens by a link.</Trans>,
              expired: <Trans>Your session has ended.</Trans>,
              refused: <Trans>Your session was ended.</Trans>,
              left: <Trans>You have signed out.</Trans>,
            }[why]
          )}
        </p>
        <p className="text-sm text-soft">
          <Trans>Open your webhooks again from the product that sends them: each link works once.</Trans>
        </p>
      </Answer>
    </div>
  );
}
