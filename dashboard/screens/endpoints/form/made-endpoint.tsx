import { Trans } from '@lingui/react/macro';
import type { EndpointRowFragment } from '../../../api/generated/graphql';
import { Button } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { TestSender } from '../answer/test-sender';
import { SecretOnce } from './secret-once';
import { Snippets } from './snippets-view';

/** After an endpoint is made: its secret this once, how to verify with it, and a first test. */
export function MadeEndpoint({
  secret,
  endpoint,
  onDone,
}: {
  /** Null where the session may not see it. */
  secret: string | null;
  endpoint: EndpointRowFragment;
  onDone: () => void;
}) {
  return (
    <Dialog
      open
      stays
      width="wide"
      onClose={onDone}
      title={<Trans>The endpoint is ready</Trans>}
      actions={
        <Button look="primary" onClick={onDone}>
          {secret === null ? <Trans>Go to the endpoint</Trans> : <Trans>I have stored the secret</Trans>}
        </Button>
      }
    >
      <div className="flex flex-col gap-5">
        {secret === null ? (
          <p className="text-sm">
            <Trans>
              Your session may not see its signing secret. Somebody who may can rotate it, and sees the new one.
            </Trans>
          </p>
        ) : (
          <SecretOnce secret={secret} />
        )}
        <section>
          <h3 className="mb-1.5 text-sm font-semibold">
            <Trans>Verify what arrives</Trans>
          </h3>
          <Snippets />
        </section>
        <section>
          <h3 className="mb-1.5 text-sm font-semibold">
            <Trans>Send a test</Trans>
          </h3>
          <TestSender endpoint={endpoint} simple />
        </section>
      </div>
    </Dialog>
  );
}
