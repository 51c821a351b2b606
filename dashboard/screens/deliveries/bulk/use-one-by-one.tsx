import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { CombinedError } from 'urql';
import type { DeliveryRowFragment } from '../../../api/generated/graphql';
import type { BulkWork } from '../../../parts/bulk-dialog';
import { messageOf } from '../../../parts/page';
import { ProgressBar } from '../../../parts/progress';
import { Untrusted } from '../../../parts/untrusted';
import { count } from '../../../text/numbers';

interface Refused {
  row: DeliveryRowFragment;
  error: CombinedError;
}

/**
 * Chosen deliveries, one request after the other: for those who have no right to bulk operations, too.
 *
 * @param doneWords says how many were changed.
 */
export function useOneByOne(
  rows: readonly DeliveryRowFragment[],
  send: (row: DeliveryRowFragment) => Promise<{ error?: CombinedError | undefined }>,
  doneWords: (total: number) => ReactNode,
): BulkWork {
  // The list goes on changing below: what was asked about is what is done.
  const [wanted] = useState(rows);
  const [state, setState] = useState<'asking' | 'running' | 'ended'>('asking');
  const [processed, setProcessed] = useState(0);
  const [refused, setRefused] = useState<Refused[]>([]);
  const stopped = useRef(false);
  useEffect(() => {
    stopped.current = false;
    return () => {
      stopped.current = true;
    };
  }, []);
  const run = async () => {
    setState('running');
    for (const row of wanted) {
      if (stopped.current) {
        break;
      }
      const { error } = await send(row);
      if (error !== undefined) {
        setRefused((before) => [...before, { row, error }]);
      }
      setProcessed((before) => before + 1);
    }
    setState('ended');
  };
  const stop = () => {
    stopped.current = true;
  };
  return {
    total: wanted.length,
    start: () => void run(),
    stop: state === 'running' ? stop : undefined,
    progress:
      state === 'asking' ? undefined : (
        <Progress total={wanted.length} processed={processed} refused={refused}>
          {state === 'ended' && doneWords(processed - refused.length)}
        </Progress>
      ),
  };
}

function Progress({
  total,
  processed,
  refused,
  children: done,
}: {
  total: number;
  processed: number;
  refused: readonly Refused[];
  children: ReactNode;
}) {
  const { t } = useLingui();
  return (
    <>
      <ProgressBar label={t`Done`} part={total === 0 ? 1 : processed / total} />
      <p role="status" className="figures">
        {done || t`${count(processed)} of ${count(total)}`}
        {done && processed < total && (
          <>
            {' '}
            <Trans>You stopped with {count(total - processed)} left.</Trans>
          </>
        )}
      </p>
      {refused.length > 0 && (
        <ul className="flex flex-col gap-1 rounded-md bg-sunken p-2.5 text-xs">
          {refused.map(({ row, error }) => (
            <li key={row.id}>
              <span className="figures font-mono">{row.databaseId}</span>
              {': '}
              <Untrusted text={messageOf(error)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
