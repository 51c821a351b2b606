import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect } from 'react';
import { Button } from '../parts/button';
import { Answer } from '../parts/page';
import { showPage } from '../parts/page-root';

/** Shows an invitation with its button. Resolves when that is pressed: loading the page does not use the link up. */
export const showInvitation = (): Promise<void> =>
  new Promise((resolve) => {
    void showPage(<Invitation onOpen={resolve} />);
  });

function Invitation({ onOpen }: { onOpen: () => void }) {
  const { t } = useLingui();
  useEffect(() => {
    document.title = t`Invitation`;
  }, [t]);
  return (
    <main className="mx-auto max-w-xl p-6">
      <Answer
        tone="info"
        actions={
          <Button look="primary" onClick={onOpen}>
            <Trans>Open the portal</Trans>
          </Button>
        }
      >
        <h1 className="font-medium">
          <Trans>Webhook portal invitation</Trans>
        </h1>
        <p className="text-sm text-soft">
          <Trans>The invitation works once. Keep this tab open while you work.</Trans>
        </p>
      </Answer>
    </main>
  );
}
