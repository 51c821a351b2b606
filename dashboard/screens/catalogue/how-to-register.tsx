import { Trans } from '@lingui/react/macro';

/** Below an event type that nobody has registered. */
export function HowToRegister() {
  return (
    <Trans>
      The operator registers event types with the mutation <code className="font-mono">registerEventType</code>{' '}
      (docs/event-types.md).
    </Trans>
  );
}
