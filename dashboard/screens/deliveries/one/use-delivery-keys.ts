import { useLingui } from '@lingui/react/macro';
import type { DeliveryRowFragment } from '../../../api/generated/graphql';
import { useShortcuts } from '../../../parts/keyboard';
import { useGo } from '../../../parts/place';
import { canCancel, type SendAction } from './use-send';

/**
 * `r` sends this delivery again or now, `c` asks to cancel it, `e` opens its endpoint.
 *
 * @param delivery the one that is shown, or the row that the keys have gone to.
 * @param actions undefined where nobody may send.
 */
export function useDeliveryKeys(
  delivery: DeliveryRowFragment | undefined,
  actions: { send: SendAction; cancel: () => void } | undefined,
): void {
  const { t } = useLingui();
  const go = useGo();
  const send = actions?.send.refused === undefined ? actions?.send : undefined;
  const cancel = delivery && canCancel(delivery) ? actions?.cancel : undefined;
  const endpoint = delivery?.webhook;
  useShortcuts([
    ...(send ? [{ keys: 'r', does: send.name, run: send.run }] : []),
    ...(cancel ? [{ keys: 'c', does: t`Cancel the delivery`, run: cancel }] : []),
    ...(endpoint
      ? [{ keys: 'e', does: t`Open the endpoint`, run: () => go(`/endpoints/${endpoint.databaseId}`) }]
      : []),
  ]);
}
