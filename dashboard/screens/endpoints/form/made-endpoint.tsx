import { Trans, useLingui } from '@lingui/react/macro';
import type { EndpointRowFragment } from '../../../api/generated/graphql';
import { SecretDialog } from '../../../parts/secret-dialog';
import { useAllowed, useWritable } from '../../../parts/viewer';
import type { Action } from '../actions';
import { TestSender } from '../answer/test-sender';
import { Snippets } from './snippets-view';

/** After an endpoint is created: its secret this once, how to verify with it, and a first test. */
export function MadeEndpoint({
  secret,
  endpoint,
  isForChat,
  onDone,
}: {
  /** Null where the session may not see it, and for chats. */
  secret: string | null;
  endpoint: EndpointRowFragment;
  /** A chat checks no signature: its text and filter come next. */
  isForChat: boolean;
  /** @param action to begin on its page */
  onDone: (action?: Action) => void;
}) {
  const { t } = useLingui();
  const isWritable = useWritable();
  const mayChoose = useAllowed('webhooks:options');
  const mayChange = (...parts: string[]) => mayChoose && parts.some(isWritable);
  const toContent = { key: 'content', name: <Trans>Set filter and format</Trans>, go: () => onDone('content') };
  const toPage = { key: 'page', name: <Trans>Go to the endpoint</Trans>, go: () => onDone() };
  const first = isForChat ? toContent : toPage;
  return (
    <SecretDialog
      wide
      title={<Trans>The endpoint is ready</Trans>}
      secret={secret}
      name={t`the secret`}
      hint={
        isForChat ? (
          <Trans>Its messages have the usual text. Next, set your own text and a filter.</Trans>
        ) : secret === null ? (
          <Trans>
            You cannot see its signing secret. A person with that permission can rotate it to get a new one.
          </Trans>
        ) : (
          <Trans>
            The signing secret is shown only once. Store it where your server keeps its secrets, as WEBHOOK_SECRET.
          </Trans>
        )
      }
      leave={first.name}
      ways={[
        ...(isForChat ? [toPage] : mayChange('content') ? [toContent] : []),
        ...(mayChange('ordering')
          ? [{ key: 'order', name: <Trans>Set the order</Trans>, go: () => onDone('order') }]
          : []),
        ...(mayChange('headers', 'auth')
          ? [{ key: 'headers', name: <Trans>Set headers and auth</Trans>, go: () => onDone('headers') }]
          : []),
        ...(mayChange('pace', 'retry')
          ? [{ key: 'pace', name: <Trans>Set pace and retries</Trans>, go: () => onDone('pace') }]
          : []),
      ]}
      onClose={first.go}
    >
      {!isForChat && (
        <section>
          <h3 className="mt-2 mb-1.5 text-sm font-semibold">
            <Trans>Verify requests</Trans>
          </h3>
          <Snippets />
        </section>
      )}
      <section>
        <h3 className="mt-2 mb-1.5 text-sm font-semibold">
          <Trans>Send a test</Trans>
        </h3>
        <TestSender endpoint={endpoint} simple />
      </section>
    </SecretDialog>
  );
}
