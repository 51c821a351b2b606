import { Trans } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { useQuery } from 'urql';
import { ERASE } from '../../../src/domain/keys/scopes';
import type { ScheduledRowFragment } from '../../api/generated/graphql';
import { Button, CopyButton } from '../../parts/button';
import { Dialog } from '../../parts/dialog';
import { unlessErased } from '../../parts/erased';
import { Answer, Fact, Facts, Failure } from '../../parts/page';
import { Link } from '../../parts/place';
import { StateBadge } from '../../parts/status';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useAllowed } from '../../parts/viewer';
import { EraseDialog } from '../events/erase-event';
import { EventPayload } from '../events/event-payload';
import { CancelScheduled } from './cancel-scheduled';
import { SCHEDULED_EVENT } from './documents';
import { SCHEDULED_STATES } from './states';

/** One scheduled event: its state, its times and its payload. @param number undefined: none is open. */
export function ScheduledDialog({ number, onClose }: { number: string | undefined; onClose: () => void }) {
  const mayCancel = useAllowed('events:emit');
  const mayErase = useAllowed(ERASE);
  const [canceling, setCanceling] = useState<ScheduledRowFragment>();
  const [erasing, setErasing] = useState<string>();
  const [{ data, error: failed }, again] = useQuery({
    query: SCHEDULED_EVENT,
    variables: { id: number ?? '' },
    pause: number === undefined,
  });
  const error = unlessErased(failed);
  const event = number === undefined ? undefined : data?.scheduledEvent;
  const cancels = mayCancel && event?.status === 'SCHEDULED';
  const erases = mayErase && event?.erasedAt === null;
  return (
    <>
      <Dialog
        open={number !== undefined && canceling === undefined && erasing === undefined}
        onClose={onClose}
        width="wide"
        title={event ? <Untrusted text={event.eventType} /> : <Trans>Scheduled event</Trans>}
        actions={
          event && (cancels || erases) ? (
            <>
              {cancels && (
                <Button look="danger" onClick={() => setCanceling(event)}>
                  <Trans>Cancel the event</Trans>
                </Button>
              )}
              {erases && (
                <Button look="danger" onClick={() => setErasing(event.id)}>
                  <Trans>Erase</Trans>
                </Button>
              )}
            </>
          ) : undefined
        }
      >
        {error && <Failure error={error} retry={again} />}
        {event && (
          <div className="flex flex-col gap-4">
            <About event={event} />
            <EventPayload body={event.body} erasedAt={event.erasedAt} />
          </div>
        )}
      </Dialog>
      <CancelScheduled event={canceling} onClose={() => setCanceling(undefined)} />
      {erasing !== undefined && <EraseDialog id={erasing} onClose={() => setErasing(undefined)} />}
    </>
  );
}

function About({ event }: { event: ScheduledRowFragment }) {
  const { id, status, deliverAt, createdAt, finishedAt, eventId, error, idempotencyKey, orderingKey } = event;
  return (
    <>
      {error != null && (
        <Answer tone="warn">
          <Trans>The service canceled it, because its idempotency key was used for another event.</Trans>
        </Answer>
      )}
      <Facts>
        <Fact name={<Trans>State</Trans>}>
          <StateBadge state={SCHEDULED_STATES[status]} />
        </Fact>
        <Fact name={<Trans>Id</Trans>}>
          <span className="inline-flex items-center gap-1 font-mono text-xs">
            {id}
            <CopyButton text={id} name={id} />
          </span>
        </Fact>
        <TimeFact name={<Trans>Due</Trans>} value={deliverAt} />
        <TimeFact name={<Trans>Scheduled at</Trans>} value={createdAt} />
        <TimeFact name={status === 'CANCELED' ? <Trans>Canceled</Trans> : <Trans>Emitted</Trans>} value={finishedAt} />
        {eventId != null && (
          <Fact name={<Trans>Event</Trans>}>
            <Link to={`/events/${eventId.replace(/^ev_/, '')}`} className="font-mono text-xs text-accent">
              {eventId}
            </Link>
          </Fact>
        )}
        <KeyFact name={<Trans>Idempotency key</Trans>} value={idempotencyKey} />
        <KeyFact name={<Trans>Ordering key</Trans>} value={orderingKey} />
      </Facts>
    </>
  );
}

function TimeFact({ name, value }: { name: ReactNode; value: string | null | undefined }) {
  return value == null ? null : (
    <Fact name={name}>
      <Time value={value} absolute />
    </Fact>
  );
}

function KeyFact({ name, value }: { name: ReactNode; value: string | null | undefined }) {
  return value == null ? null : (
    <Fact name={name}>
      <code className="font-mono text-xs [overflow-wrap:anywhere]">
        <Untrusted text={value} />
      </code>
    </Fact>
  );
}
