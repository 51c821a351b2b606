import { Plural, Trans } from '@lingui/react/macro';
import { useMutation } from 'urql';
import type { AttemptNowMutation, DeliveryRowFragment } from '../../../api/generated/graphql';
import type { BulkWork } from '../../../parts/bulk-dialog';
import { isClosed } from '../../../parts/status';
import { absolute } from '../../../parts/time';
import { ATTEMPT_NOW } from '../documents';
import { useBulkWords } from './bulk-words';

/**
 * Chosen deliveries that wait, in one request: the first one of each endpoint is its next probe, which the others wait
 * for. All of them or none.
 */
export function useAttemptChosen(rows: readonly DeliveryRowFragment[]): BulkWork {
  const words = useBulkWords().attempt;
  const [{ fetching, data, error }, attempt] = useMutation(ATTEMPT_NOW);
  return {
    total: rows.length,
    busy: fetching,
    error,
    start: () => void attempt({ input: { deliveryIds: rows.map(({ id }) => id) } }),
    progress: data && (
      <>
        <p role="status">{words.done(data.attemptNow.total)}</p>
        <Pauses {...data.attemptNow} />
      </>
    ),
  };
}

/** How many still wait, because their endpoints asked for a pause, and until when. */
function Pauses({ deliveries }: AttemptNowMutation['attemptNow']) {
  const ends = deliveries.flatMap(({ webhook }) => (webhook && isClosed(webhook) ? [webhook.closedUntil!] : []));
  if (ends.length === 0) {
    return null;
  }
  const last = absolute(ends.sort().at(-1)!);
  return (
    <p className="text-warn">
      <Plural
        value={ends.length}
        one="# delivery waits: its endpoint asked for a pause."
        other="# deliveries wait: their endpoints asked for a pause."
      />{' '}
      <Trans>The last pause ends at {last}.</Trans>
    </p>
  );
}
