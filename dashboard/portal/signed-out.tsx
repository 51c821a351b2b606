import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect } from 'react';
import type { SignedOut } from '../api/session';
import { isFramed } from '../api/tab-storage';
import { Answer } from '../parts/page';
import { Untrusted } from '../parts/untrusted';
import { WayBack } from './way-back';

/** The portal without a session: why there is none, and how to get back in. */
export function SignedOutPage({
  why,
  returnUrl,
  refusal,
}: {
  why: SignedOut;
  returnUrl: string | null;
  /** Why the code of the link was refused. */
  refusal: string | undefined;
}) {
  const { t } = useLingui();
  useEffect(() => {
    document.title = t`Webhooks`;
  }, [t]);
  return (
    <main className="mx-auto max-w-xl p-6">
      <Answer tone={why === 'left' ? 'info' : 'warn'} actions={<WayBack returnUrl={returnUrl} />}>
        <h1 className="font-medium">
          {refusal !== undefined && why === 'nobody' ? (
            <Untrusted text={refusal} />
          ) : (
            {
              nobody: <Trans>Link required</Trans>,
              expired: <Trans>Your session has expired.</Trans>,
              refused: <Trans>Your session was revoked.</Trans>,
              left: <Trans>You have signed out.</Trans>,
            }[why]
          )}
        </h1>
        {(isFramed || refusal === undefined) && (
          <p className="text-sm text-soft">
            {isFramed ? (
              <Trans>Reload this page to open your webhooks again.</Trans>
            ) : (
              <Trans>Open your webhooks again from the product that sends them: each link works once.</Trans>
            )}
          </p>
        )}
      </Answer>
    </main>
  );
}
