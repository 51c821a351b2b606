import { Trans, useLingui } from '@lingui/react/macro';
import { Ban, Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { Button, CopyButton } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { Menu } from '../../../parts/menu';
import { messageOf } from '../../../parts/page';
import { notify } from '../../../parts/toast';
import { Untrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import { CANCEL_DELIVERY, type Delivery } from '../documents';
import { CurlDialog } from './curl-dialog';
import { SendElsewhere } from './send-elsewhere';
import { useSend } from './use-send';

/** The actions on a delivery: send it again or now, cancel it, copy it, send its event to another endpoint. */
export function DeliveryActions({ delivery }: { delivery: Delivery }) {
  const { t } = useLingui();
  const { id, status } = delivery;
  const mayResend = useAllowed('deliveries:resend');
  const mayBulk = useAllowed('deliveries:bulk');
  const mayReadPayloads = useAllowed('events:read');
  const [open, setOpen] = useState<'cancel' | 'curl' | 'elsewhere'>();
  const [sendOf, sending] = useSend();
  const send = sendOf(delivery);
  const [canceling, cancel] = useMutation(CANCEL_DELIVERY);
  const isOpen = status === 'PENDING' || status === 'HELD';
  const close = () => setOpen(undefined);
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
      {mayResend && (
        <>
          <Button
            look={status === 'SUCCEEDED' ? 'plain' : 'primary'}
            icon={send.icon}
            disabled={sending}
            refused={send.refused}
            onClick={send.run}
          >
            {send.name}
          </Button>
          {isOpen && (
            <Button look="danger" icon={<Ban />} onClick={() => setOpen('cancel')}>
              <Trans>Cancel</Trans>
            </Button>
          )}
        </>
      )}
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
