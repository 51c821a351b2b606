import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, useState } from 'react';
import { useMutation, useQuery } from 'urql';
import { Button } from '../../../parts/button';
import { endpointLabel } from '../../../parts/cells';
import { Dialog } from '../../../parts/dialog';
import { Failure } from '../../../parts/page';
import { useGo } from '../../../parts/place';
import { Select } from '../../../parts/select';
import { REPLAY } from '../../operations/documents';
import { type Delivery, TARGETS } from './documents';

/** Sends the event of a delivery to one more endpoint, as a delivery of its own. */
export function SendElsewhere({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const { t } = useLingui();
  const go = useGo();
  const [{ data, error }, again] = useQuery({ query: TARGETS });
  const [sent, send] = useMutation(REPLAY);
  const [chosen, setChosen] = useState<string>();
  const targets = (data?.webhooks?.edges ?? []).map(({ node }) => node).filter(({ id }) => id !== delivery.webhookId);
  const target = chosen ?? targets[0]?.id;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { data } = await send({
      input: {
        webhookId: target ?? '',
        filter: { eventId: delivery.eventId },
        includeDelivered: true,
        includeUnsubscribed: true,
        includeFiltered: true,
      },
    });
    const operation = data?.run.bulkOperation;
    if (operation) {
      onClose();
      go(`/operations/${operation.databaseId}`);
    }
  };
  return (
    <Dialog open onClose={onClose} title={<Trans>Send to another endpoint</Trans>}>
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3 text-sm">
        <p className="text-soft">
          <Trans>
            The endpoint gets a new delivery with the same payload. It needs no subscription to {delivery.eventType},
            and may already have this event.
          </Trans>
        </p>
        {error && <Failure error={error} retry={again} />}
        {sent.error && <Failure error={sent.error} />}
        {data?.webhooks && targets.length === 0 && (
          <p>
            <Trans>No other endpoint is active.</Trans>
          </p>
        )}
        {target !== undefined && (
          <div className="flex flex-wrap items-center gap-2">
            <Select
              label={t`Endpoint`}
              value={target}
              onChange={setChosen}
              options={targets.map((one) => ({ value: one.id, name: endpointLabel(one) }))}
            />
            <Button type="submit" look="primary" disabled={sent.fetching}>
              <Trans>Send</Trans>
            </Button>
          </div>
        )}
      </form>
    </Dialog>
  );
}
