import { Trans, useLingui } from '@lingui/react/macro';
import { Ban, Ellipsis, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { Button, CopyButton } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { Menu } from '../../../parts/menu';
import { messageOf } from '../../../parts/page';
import { notify } from '../../../parts/toast';
import { Untrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import { CANCEL_DELIVERY, type Delivery, REDELIVER } from '../documents';
import { CurlDialog } from './curl-dialog';
import { SendElsewhere } from './send-elsewhere';

/** The actions on a delivery: send it again, cancel it, copy it, send its event to another endpoint. */
export function DeliveryActions({ delivery }: { delivery: Delivery }) {
  const { t } = useLingui();
  const { id, status, webhook } = delivery;
  const mayResend = useAllowed('deliveries:resend');
  const mayBulk = useAllowed('deliveries:bulk');
  const mayReadPayloads = useAllowed('events:read');
  const [open, setOpen] = useState<'cancel' | 'curl' | 'elsewhere'>();
  const [resending, resend] = useMutation(REDELIVER);
  const [canceling, cancel] = useMutation(CANCEL_DELIVERY);
  const isOpen = status === 'PENDING' || status === 'HELD';
  const close = () => setOpen(undefined);
  const sendAgain = async () => {
    const { error } = await resend({ input: { deliveryId: id } });
    notify(
      error ? t`It was not sent again.` : t`It is on its way again.`,
      error && <Untrusted text={messageOf(error)} />,
    );
  };
  const cancelIt = async () => {
    const { error } = await cancel({ input: { id } });
    close();
    notify(error ? t`It was not canceled.` : t`It is canceled.`, error && <Untrusted text={messageOf(error)} />);
  };
  const more = [
    ...(mayReadPayloads ? [{ name: t`Copy as cURL`, run: () => setOpen('curl') }] : []),
    ...(mayBulk ? [{ name: t`Send to another endpoint`, run: () => setOpen('elsewhere') }] : []),
  ];
  return (
    <>
      <CopyButton text={location.href} name={t`the link`}>
        <Trans>Copy the link</Trans>
      </CopyButton>
      {mayResend &&
        (isOpen ? (
          <Button look="danger" icon={<Ban />} onClick={() => setOpen('cancel')}>
            <Trans>Cancel</Trans>
          </Button>
        ) : (
          <Button
            look={status === 'SUCCEEDED' ? 'plain' : 'primary'}
            icon={<RotateCcw />}
            disabled={resending.fetching}
            refused={webhook == null ? t`Its endpoint is deleted.` : undefined}
            onClick={() => void sendAgain()}
          >
            <Trans>Send again</Trans>
          </Button>
        ))}
      {more.length > 0 && (
        <Menu label={t`More`} items={more}>
          <Ellipsis aria-hidden />
        </Menu>
      )}
      <Confirm
        open={open === 'cancel'}
        onClose={close}
        title={<Trans>Cancel this delivery?</Trans>}
        action={t`Cancel the delivery`}
        busy={canceling.fetching}
        onConfirm={() => void cancelIt()}
      >
        <Trans>It will not be sent. A request already in flight will finish. You can send it again later.</Trans>
      </Confirm>
      {open === 'curl' && <CurlDialog id={id} onClose={close} />}
      {open === 'elsewhere' && <SendElsewhere delivery={delivery} onClose={close} />}
    </>
  );
}
