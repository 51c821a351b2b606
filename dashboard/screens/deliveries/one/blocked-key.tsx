import { Plural, Trans } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { useQuery } from 'urql';
import type { UnblockKeyAction } from '../../../api/generated/graphql';
import { Button } from '../../../parts/button';
import { Answer } from '../../../parts/page';
import { Link } from '../../../parts/place';
import { useAllowed } from '../../../parts/viewer';
import { BLOCKED_KEYS } from '../../blocked-keys/documents';
import { UnblockDialog } from '../../blocked-keys/unblock-dialog';
import type { Delivery } from '../documents';

/** The answer about a delivery whose key is blocked, with the ways to unblock it. @param failed the number of the first */
export function BlockedKey({ delivery, failed }: { delivery: Delivery; failed: number }) {
  return (
    <WaysOut delivery={delivery}>
      <Trans>
        Its key is blocked:{' '}
        <Link to={`/deliveries/${failed}`} className="text-accent underline">
          delivery {failed}
        </Link>{' '}
        has failed.
      </Trans>
    </WaysOut>
  );
}

/** The answer about a failed delivery for which others of its key wait; nothing where none can. */
export function BlocksKey({ delivery }: { delivery: Delivery }) {
  const mayBlock = delivery.webhook?.ordering.onFailure === 'BLOCK';
  const [{ data }, read] = useQuery({
    query: BLOCKED_KEYS,
    variables: { id: delivery.webhookId },
    pause: !mayBlock,
    requestPolicy: 'cache-and-network',
  });
  const key = data?.webhook?.orderingKeys?.find(({ head }) => head?.id === delivery.id);
  return (
    mayBlock &&
    key !== undefined && (
      <WaysOut delivery={delivery} onDone={() => read({ requestPolicy: 'network-only' })}>
        <Plural
          value={key.waiting}
          _0="It blocks its key."
          one="It blocks its key: # delivery waits."
          other="It blocks its key: # deliveries wait."
        />
      </WaysOut>
    )
  );
}

/** The sentence about a blocked key, and the ways to unblock it. */
function WaysOut({
  delivery: { webhookId, orderingKey },
  onDone,
  children,
}: {
  delivery: Delivery;
  onDone?: () => void;
  children: ReactNode;
}) {
  const mayUnblock = useAllowed('deliveries:resend');
  const [action, setAction] = useState<UnblockKeyAction>();
  return (
    <>
      <Answer
        tone="warn"
        actions={
          mayUnblock && (
            <>
              <Button look="primary" onClick={() => setAction('RETRY')}>
                <Trans>Retry the failed one</Trans>
              </Button>
              <Button onClick={() => setAction('SKIP')}>
                <Trans>Skip the failed one</Trans>
              </Button>
              <Button look="danger" onClick={() => setAction('CANCEL_ALL')}>
                <Trans>Cancel all</Trans>
              </Button>
            </>
          )
        }
      >
        <p className="font-medium">{children}</p>
        <p className="mt-0.5 text-sm text-soft">
          <Trans>All later deliveries of the key wait until someone unblocks it.</Trans>
        </p>
      </Answer>
      {action && (
        <UnblockDialog
          webhookId={webhookId}
          blockedKey={orderingKey ?? ''}
          action={action}
          onClose={() => {
            setAction(undefined);
            onDone?.();
          }}
        />
      )}
    </>
  );
}
