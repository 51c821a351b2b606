import { Trans, useLingui } from '@lingui/react/macro';
import { Ban, Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { Button, CopyButton } from '../../../parts/button';
import { Menu } from '../../../parts/menu';
import { useAllowed } from '../../../parts/viewer';
import { CancelDialog } from './cancel-dialog';
import { CurlDialog } from './curl-dialog';
import type { Delivery } from './documents';
import { SendElsewhere } from './send-elsewhere';
import { useDeliveryKeys } from './use-delivery-keys';
import { canCancel, useSend } from './use-send';

/** The actions on a delivery: send it again or now, cancel it, copy it, send its event to another endpoint. */
export function DeliveryActions({ delivery }: { delivery: Delivery }) {
  const { t } = useLingui();
  const { id, status } = delivery;
  const mayResend = useAllowed('deliveries:resend');
  const mayBulk = useAllowed('deliveries:bulk');
  const mayReadPayloads = useAllowed('events:read');
  const [open, setOpen] = useState<'cancel' | 'curl' | 'elsewhere'>();
  const [sendOf, sending, sendAgain] = useSend();
  const send = sendOf(delivery);
  const close = () => setOpen(undefined);
  useDeliveryKeys(delivery, mayResend ? { send, cancel: () => setOpen('cancel') } : undefined);
  const isReshaped = mayResend && !canCancel(delivery) && (delivery.webhook?.content.format ?? 'JSON') !== 'JSON';
  const more = [
    ...(isReshaped ? [{ name: t`Send again in the new format`, run: () => void sendAgain(id, true) }] : []),
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
          {canCancel(delivery) && (
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
      <CancelDialog delivery={open === 'cancel' ? delivery : undefined} onClose={close} />
      {open === 'curl' && <CurlDialog id={id} onClose={close} />}
      {open === 'elsewhere' && <SendElsewhere delivery={delivery} onClose={close} />}
    </>
  );
}
