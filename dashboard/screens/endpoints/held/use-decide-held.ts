import { useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import { HELD_SHOWN_MAX } from '../../../../src/domain/deliveries/health-limits';
import type { CancelDeliveriesMutation, HeldAction, UpdateEndpointMutation } from '../../../api/generated/graphql';
import { useAllowed } from '../../../parts/viewer';
import { countUpTo } from '../../../text/numbers';
import { CANCEL_DELIVERIES } from '../../operations/documents';
import { UPDATE_ENDPOINT } from '../later-documents';
import type { ShownEndpoint } from '../use-endpoint';

type Decided = { data?: UpdateEndpointMutation | CancelDeliveriesMutation | undefined };

/**
 * Decides about the held deliveries of an endpoint.
 *
 * @param enables whether an inactive endpoint is enabled by that
 * @param until only those that were made before; default: all
 * @returns what was done in words, too. To keep them, an active endpoint needs no request
 */
export function useDecideHeld(endpoint: ShownEndpoint, { enables, until }: { enables: boolean; until?: string }) {
  const { t } = useLingui();
  const mayEdit = useAllowed('webhooks:edit');
  const mayCancel = useAllowed('deliveries:bulk');
  const [, update] = useMutation(UPDATE_ENDPOINT);
  const [, cancel] = useMutation(CANCEL_DELIVERIES);
  const { id, active, heldCount } = endpoint;
  const many = countUpTo(heldCount, HELD_SHOWN_MAX);
  const cancels = (held: HeldAction) => held === 'DISCARD' && (active || !enables);
  // What an inactive endpoint has open is held, or waits behind that.
  const filter = { webhookId: id, ...(active && { status: 'HELD' as const }), ...(until !== undefined && { until }) };
  return {
    decide: (held: HeldAction): Promise<Decided> =>
      cancels(held) ? cancel({ input: { filter } }) : update({ input: { id, active: true, held } }),
    mayDecide: (held: HeldAction): boolean => (cancels(held) ? mayCancel : held === 'KEEP' || mayEdit),
    done: {
      RELEASE: t`${many} held deliveries are being sent.`,
      KEEP: '',
      DISCARD: t`${many} held deliveries are being canceled.`,
    } satisfies Record<HeldAction, string>,
  };
}
