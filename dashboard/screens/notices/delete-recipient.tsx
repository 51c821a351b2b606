import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import type { RecipientRowFragment } from '../../api/generated/graphql';
import { Confirm } from '../../parts/dialog';
import { notify } from '../../parts/toast';
import { Untrusted } from '../../parts/untrusted';
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
  const [{ fetching, error }, remove] = useMutation(DELETE_RECIPIENT);
  const confirm = async (id: string) => {
    const { data } = await remove({ id });
    if (data) {
      notify(t`The recipient is deleted.`);
      onClose();
    }
  };
  return (
    <Confirm
      open={recipient !== undefined}
      onClose={onClose}
      title={<Trans>Delete this recipient?</Trans>}
      action={t`Delete the recipient`}
      busy={fetching}
      error={error}
      onConfirm={() => void (recipient && confirm(recipient.id))}
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
