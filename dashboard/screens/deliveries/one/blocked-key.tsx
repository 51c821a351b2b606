import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import type { UnblockKeyAction } from '../../../api/generated/graphql';
import { Button } from '../../../parts/button';
import { Answer } from '../../../parts/page';
import { Link } from '../../../parts/place';
import { useAllowed } from '../../../parts/viewer';
import { UnblockDialog } from '../../blocked-keys/unblock-dialog';
import type { Delivery } from './documents';

/** The answer about a delivery whose key is blocked, with the ways to unblock it. @param failed the number of the first */
export function BlockedKey({ delivery: { webhookId, orderingKey }, failed }: { delivery: Delivery; failed: number }) {
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
        <p className="font-medium">
          <Trans>
            Its key is blocked:{' '}
            <Link to={`/deliveries/${failed}`} className="text-accent underline">
              delivery {failed}
            </Link>{' '}
            has failed.
          </Trans>
        </p>
        <p className="mt-0.5 text-sm text-soft">
          <Trans>All later deliveries of the key wait until someone unblocks it.</Trans>
        </p>
      </Answer>
      {action && (
        <UnblockDialog
          webhookId={webhookId}
          blockedKey={orderingKey ?? ''}
          action={action}
          onClose={() => setAction(undefined)}
        />
      )}
    </>
  );
}
