import { Plural, Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Button } from '../../../parts/button';
import { useFirstRows } from '../../../parts/first-rows';
import { Card } from '../../../parts/page';
import { Badge } from '../../../parts/status';
import { useAllowed } from '../../../parts/viewer';
import { whenWanted } from '../../../parts/when-wanted';
import type { ShownEndpoint } from '../use-endpoint';
import type { Key, Keys } from './use-keys';
import { KeyName, WhyWaiting } from './why-waiting';

const UnblockDialog = whenWanted(async () => ({
  default: (await import('../../blocked-keys/unblock-dialog')).UnblockDialog,
}));

interface KeysProps {
  endpoint: ShownEndpoint;
  keys: Keys;
}

/** The keys that a failed delivery blocks, and the way to unblock each. */
export function BlockedKeys({ endpoint, keys: { keys, readAgain } }: KeysProps) {
  const mayUnblock = useAllowed('deliveries:resend');
  const [chosen, setChosen] = useState<Key>();
  const blocked = keys.filter(({ blockedAt }) => blockedAt != null);
  const [shown, all] = useFirstRows(blocked);
  return (
    <>
      {blocked.length > 0 && (
        <Card
          flush
          title={
            <>
              <Badge tone="bad">
                <Trans>Blocked</Trans>
              </Badge>{' '}
              <Plural value={blocked.length} one="# key" other="# keys" />
            </>
          }
          actions={
            <>
              <span className="text-xs text-soft max-cards:hidden">
                <Trans>Unblock sends the failed delivery again, skips it, or cancels everything waiting.</Trans>
              </span>
              {all}
            </>
          }
        >
          <KeyRows keys={shown} onUnblock={mayUnblock ? setChosen : undefined} />
        </Card>
      )}
      {chosen !== undefined && (
        <UnblockDialog
          wanted
          webhookId={endpoint.id}
          blockedKey={chosen.key}
          why={<WhyWaiting shown={chosen} />}
          onClose={() => {
            setChosen(undefined);
            readAgain();
          }}
        />
      )}
    </>
  );
}

/** The other keys with waiting deliveries, and for what they wait. */
export function WaitingKeys({ keys: { keys } }: Pick<KeysProps, 'keys'>) {
  const [shown, all] = useFirstRows(keys.filter((key) => key.blockedAt == null && key.waiting > 0));
  return (
    shown.length > 0 && (
      <Card flush title={<Trans>Waiting in order</Trans>} actions={all}>
        <KeyRows keys={shown} />
      </Card>
    )
  );
}

function KeyRows({ keys, onUnblock }: { keys: readonly Key[]; onUnblock?: ((key: Key) => void) | undefined }) {
  return (
    <ul>
      {keys.map((key) => (
        <li key={key.key} className="flex items-center gap-3 border-b border-line px-3.5 py-1 last:border-b-0">
          <div className="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-3 text-xs text-soft">
            <KeyName name={key.key} />
            <span className="min-w-0">
              <WhyWaiting shown={key} />
            </span>
          </div>
          {onUnblock && (
            <Button onClick={() => onUnblock(key)}>
              <Trans>Unblock</Trans>
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}
