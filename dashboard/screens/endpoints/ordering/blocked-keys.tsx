import { Plural, Trans } from '@lingui/react/macro';
import { Button } from '../../../parts/button';
import { Answer } from '../../../parts/page';
import { countUpTo } from '../../../text/numbers';
import type { ShownEndpoint } from '../use-endpoint';
import { showOrder } from './order-card';
import { KEYS_READ_MAX, useKeys } from './use-keys';

/** Says that keys of an endpoint are blocked. Its card of the order unblocks them. */
export function BlockedKeys({ endpoint }: { endpoint: ShownEndpoint }) {
  const blocked = useKeys(endpoint).keys.filter(({ blockedAt }) => blockedAt != null);
  const some = countUpTo(blocked.length, KEYS_READ_MAX);
  return (
    blocked.length > 0 && (
      <Answer
        tone="warn"
        actions={
          <Button onClick={showOrder}>
            <Trans>Show the keys</Trans>
          </Button>
        }
      >
        <p className="font-medium">
          <Plural
            value={blocked.length}
            one="# key is blocked. Its deliveries wait until you unblock it under Order."
            other={`${some} keys are blocked. Their deliveries wait until you unblock them under Order.`}
          />
        </p>
      </Answer>
    )
  );
}
