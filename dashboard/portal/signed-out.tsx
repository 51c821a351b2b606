import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect } from 'react';
import type { SignedOut } from '../api/session';
import { isFramed } from '../api/tab-storage';
import { Answer } from '../parts/page';
import { LinkRefused, type Refusal } from './link-refused';
import { WayBack } from './way-back';

export interface SignedOutProps {
  why: SignedOut;
  returnUrl: string | null;
  refusal: Refusal | undefined;
}

/** The portal without a session: why there is none, and how to get back in. */
export default function SignedOutPage({ why, returnUrl, refusal }: SignedOutProps) {
  const { t } = useLingui();
  useEffect(() => {
    document.title = t`Webhooks`;
  }, [t]);
  return (
    <main className="mx-auto max-w-xl p-6">
      <Answer tone={why === 'left' ? 'info' : 'warn'} actions={<WayBack returnUrl={returnUrl} />}>
        <h1 className="font-medium">
          {refusal !== undefined && why === 'nobody' ? (
            <LinkRefused {...refusal} />
          ) : (
            {
              nobody: <Trans>Link required</Trans>,
              expired: <Trans>Your session has expired.</Trans>,
              refused: <Trans>Your session was revoked.</Trans>,
              left: <Trans>You have signed out.</Trans>,
              moved: <Trans>Your webhooks have moved.</Trans>,
            }[why]
          )}
        </h1>
        <p className="text-sm text-soft">
          {isFramed ? (
            <Trans>Reload this page to open your webhooks again.</Trans>
          ) : (
            <Trans>
              Open your webhooks again from the product that sends them, or ask for a new invitation. Each link works
              once.
            </Trans>
          )}
        </p>
      </Answer>
    </main>
  );
}
