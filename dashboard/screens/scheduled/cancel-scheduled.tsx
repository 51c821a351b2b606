import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from 'urql';
import type { ScheduledRowFragment } from '../../api/generated/graphql';
import { Confirm } from '../../parts/dialog';
import { notify } from '../../parts/toast';
import { CANCEL_SCHEDULED_EVENT } from './documents';

/** Asks before a scheduled event is canceled. @param event undefined: nobody is asked. */
export function CancelScheduled({ event, onClose }: { event: ScheduledRowFragment | undefined; onClose: () => void }) {
  const { t } = useLingui();
  const [{ fetching, error }, cancel] = useMutation(CANCEL_SCHEDULED_EVENT);
  const confirm = async (id: string) => {
    const { data } = await cancel({ input: { id } });
    if (data) {
      notify(t`The event is canceled.`);
      onClose();
    }
  };
  return (
    <Confirm
      open={event !== undefined}
      onClose={onClose}
      title={<Trans>Cancel this event?</Trans>}
      action={t`Cancel the event`}
      busy={fetching}
      error={error}
      onConfirm={() => event && void confirm(event.id)}
    >
      <Trans>It will not be emitted, and no endpoint gets it.</Trans>
    </Confirm>
  );
}
