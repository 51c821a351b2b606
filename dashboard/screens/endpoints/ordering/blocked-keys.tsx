import { Plural } from '@lingui/react/macro';
import { Answer } from '../../../parts/page';
import type { ShownEndpoint } from '../use-endpoint';
import { useKeys } from './use-keys';

/** Says that keys of an endpoint are blocked. Its card of the order unblocks them. */
export function BlockedKeys({ endpoint }: { endpoint: ShownEndpoint }) {
  const blocked = useKeys(endpoint).keys.filter(({ blockedAt }) => blockedAt != null);
  return (
    blocked.length > 0 && (
      <Answer tone="warn">
        <p className="font-medium">
          <Plural
            value={blocked.length}
            one="# key is blocked. Its deliveries wait until you unblock it under Order."
            other="# keys are blocked. Their deliveries wait until you unblock them under Order."
          />
        </p>
      </Answer>
    )
  );
}
