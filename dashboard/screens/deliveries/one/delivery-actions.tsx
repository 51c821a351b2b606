import { Menu } from '@base-ui/react/menu';
import { Trans, useLingui } from '@lingui/react/macro';
import { Ban, Ellipsis, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useMutation } from 'urql';
import { Button, buttonLook, CopyButton } from '../../../parts/button';
import { Confirm } from '../../../parts/dialog';
import { messageOf } from '../../../parts/page';
import { notify } from '../../../parts/toast';
import { Untrusted } from '../../../parts/untrusted';
import { useAllowed } from '../../../parts/viewer';
import type { Delivery } from '../documents';
import { CANCEL_DELIVERY, REDELIVER } from '../documents';
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
  const look = 'flex h-7 cursor-default items-center rounded-md px-2 text-sm outline-none data-highlighted:bg-sunken';
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
      {(mayReadPayloads || mayBulk) && (
        <Menu.Root>
          <Menu.Trigger aria-label={t`More`} title={t`More`} className={`${buttonLook('plain')} w-7.5 px-0`}>
            <Ellipsis aria-hidden />
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner sideOffset={6} align="end" className="z-20">
              <Menu.Popup className="min-w-48 rounded-lg border border-line bg-raised p-1 shadow-xl">
                {mayReadPayloads && (
                  <Menu.Item className={look} onClick={() => setOpen('curl')}>
                    <Trans>Copy as cURL</Trans>
                  </Menu.Item>
                )}
                {mayBulk && (
                  <Menu.Item className={look} onClick={() => setOpen('elsewhere')}>
                    <Trans>Send its event to another endpoint</Trans>
                  </Menu.Item>
                )}
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      )}
      <Confirm
        open={open === 'cancel'}
        onClose={close}
        title={<Trans>Cancel this delivery?</Trans>}
        action={t`Cancel the delivery`}
        busy={canceling.fetching}
        onConfirm={() => void cancelIt()}
      >
        <Trans>
          It will not be sent. A request that is under way ends and is recorded. You can send the delivery again later.
        </Trans>
      </Confirm>
      {open === 'curl' && <CurlDialog id={id} onClose={close} />}
      {open === 'elsewhere' && <SendElsewhere delivery={delivery} onClose={close} />}
    </>
  );
}
