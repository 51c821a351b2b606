import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import type { DeliveryRowFragment } from '../../../api/generated/graphql';
import { Confirm } from '../../../parts/dialog';
import { messageOf } from '../../../parts/page';
import { notify } from '../../../parts/toast';
import { Untrusted } from '../../../parts/untrusted';
import { CANCEL_DELIVERY } from './documents';

/** Asks before a delivery is canceled. @param delivery undefined: nobody is asked. */
export function CancelDialog({
  delivery,
  onClose,
}: {
  delivery: Pick<DeliveryRowFragment, 'id'> | undefined;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const [canceling, cancel] = useMutation(CANCEL_DELIVERY);
  const cancelIt = async (id: string) => {
    const { error } = await cancel({ input: { id } });
    onClose();
    notify(error ? t`It was not canceled.` : t`It is canceled.`, error && <Untrusted text={messageOf(error)} />);
  };
  return (
    <Confirm
      open={delivery !== undefined}
      onClose={onClose}
      title={<Trans>Cancel this delivery?</Trans>}
      action={t`Cancel the delivery`}
      busy={canceling.fetching}
      onConfirm={() => delivery && void cancelIt(delivery.id)}
    >
      <Trans>It will not be sent. A request already in flight will finish. You can send it again later.</Trans>
    </Confirm>
  );
}
