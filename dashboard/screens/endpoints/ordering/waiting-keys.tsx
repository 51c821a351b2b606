import { Plural, Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { Button } from '../../../parts/button';
import { Link } from '../../../parts/place';
import { Badge } from '../../../parts/status';
import { Time } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import { UnblockDialog } from '../../blocked-keys/unblock-dialog';
import type { ShownEndpoint } from '../use-endpoint';
import { type Key, useKeys } from './use-keys';

/** The keys with the most waiting deliveries, blocked ones first, which can be unblocked here. */
export function WaitingKeys({ endpoint }: { endpoint: ShownEndpoint }) {
  const mayUnblock = useAllowed('deliveries:resend');
  const { keys, readAgain } = useKeys(endpoint);
  const [unblocked, setUnblocked] = useState<string>();
  return (
    <>
      {keys.length > 0 && (
        <ul className="mt-3 border-t border-line">
          {keys.map((key) => (
            <KeyRow key={key.key} shown={key} onUnblock={mayUnblock ? () => setUnblocked(key.key) : undefined} />
          ))}
        </ul>
      )}
      {unblocked !== undefined && (
        <UnblockDialog
          webhookId={endpoint.id}
          blockedKey={unblocked}
          onClose={() => {
            setUnblocked(undefined);
            readAgain();
          }}
        />
      )}
    </>
  );
}

function KeyRow({
  shown: { key, waiting, waitingSince, blockedAt, head },
  onUnblock,
}: {
  shown: Key;
  onUnblock: (() => void) | undefined;
}) {
  const since = blockedAt ?? waitingSince;
  return (
    <li className="flex flex-wrap items-center justify-between gap-2 border-b border-line py-2 text-sm last:border-b-0">
      <div className="min-w-0">
        <code className="font-mono text-xs [overflow-wrap:anywhere]">
          {key === '' ? <Trans>all deliveries</Trans> : <Untrusted text={key} />}
        </code>{' '}
        {blockedAt != null && (
          <Badge tone="bad">
            <Trans>Blocked</Trans>
          </Badge>
        )}
        <span className="block text-xs text-soft">
          <Plural value={waiting} one="# waits" other="# wait" />
          {head && (
            <>
              {' '}
              <Link to={`/deliveries/${head.databaseId}`} className="text-accent">
                <Trans>for delivery {head.databaseId}</Trans>
              </Link>
            </>
          )}
          {since != null && (
            <>
              , <Time value={since} />
            </>
          )}
        </span>
      </div>
      {blockedAt != null && onUnblock && (
        <Button onClick={onUnblock}>
          <Trans>Unblock</Trans>
        </Button>
      )}
    </li>
  );
}
