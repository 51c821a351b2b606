import { useLingui } from '@lingui/react/macro';
import { FastForward, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import type { DeliveryRowFragment } from '../../../api/generated/graphql';
import { messageOf } from '../../../parts/page';
import { isClosed } from '../../../parts/status';
import { absolute } from '../../../parts/time';
import { notify } from '../../../parts/toast';
import { Untrusted } from '../../../parts/untrusted';
import { ATTEMPT_NOW, REDELIVER } from '../documents';

/** The one action that sends a delivery: *Send again* when it is finished, *Try now* while it waits. */
export interface SendAction {
  name: string;
  icon: ReactNode;
  /** Why it cannot be sent, and the way out. */
  refused: string | undefined;
  run: () => void;
}

/**
 * @returns what sends a delivery, whether one is being asked for, and what sends one again with the endpoint's format
 *   of today
 */
export function useSend(): [
  of: (delivery: DeliveryRowFragment) => SendAction,
  busy: boolean,
  sendAgain: (id: string, reshape: boolean) => Promise<void>,
] {
  const { t } = useLingui();
  const [resending, resend] = useMutation(REDELIVER);
  const [attempting, attempt] = useMutation(ATTEMPT_NOW);
  const sendAgain = async (id: string, reshape: boolean) => {
    const { error } = await resend({ input: { deliveryId: id, reshape } });
    notify(
      error ? t`It was not sent again.` : t`It is on its way again.`,
      error && <Untrusted text={messageOf(error)} />,
    );
  };
  const tryNow = async (id: string) => {
    const { data, error } = await attempt({ input: { deliveryIds: [id] } });
    const webhook = data?.attemptNow.deliveries[0]?.webhook;
    if (error) {
      notify(t`It was not tried.`, <Untrusted text={messageOf(error)} />);
    } else if (webhook && isClosed(webhook)) {
      notify(t`It waits for a pause.`, t`Its endpoint asked for one until ${absolute(webhook.closedUntil!)}.`);
    } else {
      notify(data?.attemptNow.total === 0 ? t`An attempt is already in progress.` : t`It is due now.`);
    }
  };
  const of = ({ id, status, webhook, cancelReason }: DeliveryRowFragment): SendAction => {
    const erased = cancelReason === 'ERASED' ? t`The payload of its event was erased.` : undefined;
    const gone = webhook == null ? t`Its endpoint is deleted.` : erased;
    if (status === 'HELD') {
      const refused = t`It is held: enable its endpoint, or release the held deliveries there.`;
      return { name: t`Try now`, icon: <FastForward />, refused: gone ?? refused, run: () => {} };
    }
    if (status === 'WAITING') {
      const refused = t`It waits for an earlier delivery of its key.`;
      return { name: t`Try now`, icon: <FastForward />, refused: gone ?? refused, run: () => {} };
    }
    return status === 'PENDING'
      ? { name: t`Try now`, icon: <FastForward />, refused: gone, run: () => void tryNow(id) }
      : { name: t`Send again`, icon: <RotateCcw />, refused: gone, run: () => void sendAgain(id, false) };
  };
  return [of, resending.fetching || attempting.fetching, sendAgain];
}
