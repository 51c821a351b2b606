import { Trans, useLingui } from '@lingui/react/macro';
import { type CombinedError, useMutation } from 'urql';
import { TextField } from '../../parts/field';
import { useForm } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { JsonField, parseObject } from '../../parts/json-field';
import { useGo } from '../../parts/place';
import { inputOf } from '../../parts/time-span';
import { notify } from '../../parts/toast';
import { useAllowed } from '../../parts/viewer';
import { EMIT, SCHEDULE } from './documents';

const HOUR_MS = 3_600_000;

/**
 * Emits an event of a type for the tenant, now or later.
 *
 * @param sample the payload that the editor begins with, as JSON
 * @param later whether it asks for a time
 */
export function EmitDialog({
  eventType,
  sample,
  later,
  onClose,
}: {
  eventType: string;
  sample: string;
  later: boolean;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const form = useEmitForm({ eventType, sample, later, onClose });
  const { body, deliverAt } = form.values;
  const isWrong = 'wrong' in parseObject(body);
  const isTime = !later || !Number.isNaN(Date.parse(deliverAt));
  return (
    <FormDialog
      form={form}
      wide
      title={later ? <Trans>Schedule {eventType}</Trans> : <Trans>Emit {eventType}</Trans>}
      action={later ? <Trans>Schedule the event</Trans> : <Trans>Emit the event</Trans>}
      refused={isWrong ? t`Enter valid JSON.` : isTime ? undefined : t`Enter a time.`}
      onClose={onClose}
    >
      <p className="text-sm text-soft">
        {later ? (
          <Trans>At its time it goes to each endpoint that is subscribed then, as their filters let it pass.</Trans>
        ) : (
          <Trans>It goes to each endpoint that is subscribed, as their filters let it pass.</Trans>
        )}
      </p>
      {later && (
        <TextField
          {...form.field('deliverAt')}
          name={<Trans>When</Trans>}
          hint={<Trans>In your time zone, at most 90 days ahead.</Trans>}
          type="datetime-local"
          required
        />
      )}
      <JsonField
        name={<Trans>Payload</Trans>}
        rows={Math.min(16, body.split('\n').length + 1)}
        value={body}
        onChange={form.field('body').onChange}
        issues={form.issues('body')}
      />
      <TextField
        {...form.field('idempotencyKey')}
        name={<Trans>Idempotency key</Trans>}
        hint={<Trans>The same key makes no second event within 7 days.</Trans>}
        maxLength={255}
      />
    </FormDialog>
  );
}

/** The page of what was made. */
interface Made {
  path: string;
  open?: string;
}

const answerOf = (data: Made | undefined, error: CombinedError | undefined) => ({ data, error });

function useEmitForm({ eventType, sample, later, onClose }: Parameters<typeof EmitDialog>[0]) {
  const { t } = useLingui();
  const go = useGo();
  const seesEvents = useAllowed('events:read');
  const [, emit] = useMutation(EMIT);
  const [, schedule] = useMutation(SCHEDULE);
  return useForm({
    // The text goes as it is written, so that large integers arrive exactly.
    initial: () => ({
      body: sample,
      idempotencyKey: `dashboard-${crypto.getRandomValues(new Uint32Array(1))[0]?.toString(36)}`,
      deliverAt: inputOf(Date.now() + HOUR_MS),
    }),
    save: async ({ body, idempotencyKey, deliverAt }) => {
      const input = { eventType, body, ...(idempotencyKey === '' ? {} : { idempotencyKey }) };
      if (!later) {
        const { data, error } = await emit({ input });
        return answerOf(data && { path: `/events/${data.emitEvent.event.databaseId}` }, error);
      }
      const { data, error } = await schedule({ input: { ...input, deliverAt: new Date(deliverAt).toISOString() } });
      const open = String(data?.scheduleEvent.scheduledEvent.databaseId);
      return answerOf(data && { path: '/scheduled', open }, error);
    },
    saved: ({ path, open }) => {
      notify(later ? t`The event is scheduled.` : t`The event is emitted.`);
      if (seesEvents) {
        go(path, { open });
      } else {
        onClose();
      }
    },
  });
}
