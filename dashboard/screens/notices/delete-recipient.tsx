import { Trans, useLingui } from '@lingui/react/macro';
import type { RecipientRowFragment } from '../../api/generated/graphql';
import { Confirm } from '../../parts/dialog';
import { Untrusted } from '../../parts/untrusted';
import { useConfirmed } from '../../parts/use-confirmed';
import { DELETE_RECIPIENT } from './documents';

/** Asks before a recipient is deleted. */
export function DeleteRecipient({
  recipient,
  onClose,
}: {
  recipient: RecipientRowFragment | undefined;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const [state, remove] = useConfirmed(DELETE_RECIPIENT, t`The recipient is deleted.`, onClose);
  return (
    <Confirm
      {...state}
      open={recipient !== undefined}
      onClose={onClose}
      title={<Trans>Delete this recipient?</Trans>}
      action={t`Delete the recipient`}
      onConfirm={() => recipient && remove({ id: recipient.id })}
    >
      {recipient && (
        <p>
          <Trans>
            <Untrusted text={recipient.address} /> gets no more e-mails.
          </Trans>
        </p>
      )}
    </Confirm>
  );
}
