import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { EndpointRowFragment } from '../../../api/generated/graphql';
import { SecretDialog } from '../../../parts/secret-dialog';
import { useAllowed, useWritable } from '../../../parts/viewer';
import type { Action } from '../actions';
import { NewOwnership } from '../ownership/new-ownership';
import { TestSender } from '../testing/test-sender';
import { Snippets } from './snippets-view';

interface MadeEndpointProps {
  /** Null where the session may not see it, and for chats. */
  secret: string | null;
  endpoint: EndpointRowFragment;
  /** A chat checks no signature. */
  isForChat: boolean;
  /** @param action to begin on its page */
  onDone: (action?: Action) => void;
}

/** After an endpoint is created: its secret this once, how to verify with it, and a first test. */
export function MadeEndpoint({ secret, endpoint, isForChat, onDone }: MadeEndpointProps) {
  const { t } = useLingui();
  const ways = useNextSteps(endpoint, onDone);
  // It gets nothing, not even a test, before it has proved itself.
  const isUnverified = endpoint.disabledReason === 'UNVERIFIED';
  return (
    <SecretDialog
      wide
      title={isUnverified ? <Trans>The endpoint is added</Trans> : <Trans>The endpoint is ready</Trans>}
      secret={secret}
      name={t`the secret`}
      hint={<SecretHint secret={secret} isForChat={isForChat} />}
      leave={<Trans>Go to the endpoint</Trans>}
      ways={ways}
      onClose={() => onDone()}
    >
      <p className="text-sm text-soft">
        {endpoint.active ? (
          <Trans>It is live: new events are sent from now on.</Trans>
        ) : (
          <Trans>It is not live: its deliveries are held.</Trans>
        )}
      </p>
      {isUnverified && <NewOwnership endpoint={endpoint} />}
      {!isForChat && (
        <Section title={<Trans>Verify requests</Trans>}>
          <Snippets />
        </Section>
      )}
      {!isUnverified && (
        <Section title={<Trans>Send a test</Trans>}>
          <TestSender endpoint={endpoint} simple />
        </Section>
      )}
    </SecretDialog>
  );
}

/** The settings that a person may go on with. */
function useNextSteps({ url }: EndpointRowFragment, go: (action: Action) => void) {
  const { t } = useLingui();
  const isWritable = useWritable();
  const mayChoose = useAllowed('webhooks:options');
  const mayChange = (...parts: string[]) => mayChoose && parts.some(isWritable);
  return [
    ...(mayChange('headers', 'auth') ? [{ name: t`Set headers and auth`, go: () => go('headers') }] : []),
    ...(mayChange('tls') && url.startsWith('https:') ? [{ name: t`Set TLS`, go: () => go('tls') }] : []),
    ...(mayChange('pace', 'retry') ? [{ name: t`Rate and retries`, go: () => go('pace') }] : []),
  ];
}

function SecretHint({ secret, isForChat }: Pick<MadeEndpointProps, 'secret' | 'isForChat'>) {
  if (isForChat) {
    return (
      <Trans>Send a test to see a message in the chat. Messages use the default text unless you set your own.</Trans>
    );
  }
  return secret === null ? (
    <Trans>You cannot see its signing secret. A person with that permission can rotate it to get a new one.</Trans>
  ) : (
    <Trans>
      The signing secret is shown only once. Store it where your server keeps its secrets, as WEBHOOK_SECRET.
    </Trans>
  );
}

function Section({ title, children }: { title: ReactNode; children: ReactNode }) {
  return (
    <section>
      <h3 className="mt-2 mb-1.5 text-sm font-semibold">{title}</h3>
      {children}
    </section>
  );
}
