import { Trans, useLingui } from '@lingui/react/macro';
import type { ScheduledRowFragment } from '../../api/generated/graphql';
import { Confirm } from '../../parts/dialog';
import { useConfirmed } from '../../parts/use-confirmed';
import { CANCEL_SCHEDULED_EVENT } from './documents';

/** Asks before a scheduled event is canceled. @param event undefined: nobody is asked. */
export function CancelScheduled({ event, onClose }: { event: ScheduledRowFragment | undefined; onClose: () => void }) {
  const { t } = useLingui();
  const [state, cancel] = useConfirmed(CANCEL_SCHEDULED_EVENT, t`The event is canceled.`, onClose);
  return (
    <Confirm
      {...state}
      open={event !== undefined}
      onClose={onClose}
      title={<Trans>Cancel this event?</Trans>}
      action={t`Cancel the event`}
      onConfirm={() => event && cancel({ input: { id: event.id } })}
    >
      <Trans>It will not be emitted, and no endpoint gets it.</Trans>
    </Confirm>
  );
}
