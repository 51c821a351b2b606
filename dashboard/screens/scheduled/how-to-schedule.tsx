import { Trans, useLingui } from '@lingui/react/macro';
import { buttonLook } from '../../parts/button';
import { Code } from '../../parts/code';
import { Link } from '../../parts/place';
import { useAllowed } from '../../parts/viewer';

const CALL = `mutation {
  scheduleEvent(input: {
    eventType: "booking.created"
    payload: {booking_code: "B1", local_number: "17", brand: "b"}
    delaySeconds: 3600
    idempotencyKey: "reminder-17"
  }) { scheduledEvent { id deliverAt } }
}
`;

/** How an event is scheduled: here, and by a program. */
export function HowToSchedule() {
  const { t } = useLingui();
  const mayEmit = useAllowed('events:emit');
  return (
    <div className="flex max-w-xl flex-col items-center gap-3 text-sm text-soft">
      {mayEmit && (
        <Link to="/catalogue" className={buttonLook('primary')}>
          <Trans>Choose an event type to schedule</Trans>
        </Link>
      )}
      <p>
        <Trans>A program schedules it with this call:</Trans>
      </p>
      <div className="max-w-full text-start">
        <Code text={CALL} name={t`call`} wrap />
      </div>
    </div>
  );
}
