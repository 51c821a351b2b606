import { plural } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useEffect, useRef, useState } from 'react';
import { type CombinedError, useClient } from 'urql';
import { Button } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { messageOf } from '../../../parts/page';
import { ProgressBar } from '../../../parts/progress';
import { Untrusted } from '../../../parts/untrusted';
import { count } from '../../../text/numbers';
import { CANCEL_DELIVERY, REDELIVER } from '../documents';
import type { Row } from '../list/use-feed';

interface Refused {
  row: Row;
  error: CombinedError;
}

/** Sends chosen deliveries again, or cancels them, one request after the other; says what was refused, and why. */
export function OneByOne({
  action,
  rows,
  left,
  onClose,
}: {
  action: 'resend' | 'cancel';
  rows: readonly Row[];
  /** How many of the chosen ones this cannot be done with. */
  left: number;
  /** `done`: whether anything was. */
  onClose: (done: boolean) => void;
}) {
  const { t } = useLingui();
  const client = useClient();
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
      const { error } = await (action === 'resend'
        ? client.mutation(REDELIVER, { input: { deliveryId: row.id } })
        : client.mutation(CANCEL_DELIVERY, { input: { id: row.id } })
      ).toPromise();
      if (error !== undefined) {
        setRefused((before) => [...before, { row, error }]);
      }
      setProcessed((before) => before + 1);
    }
    setState('ended');
  };
  const number = wanted.length;
  const done = processed - refused.length;
  const verb =
    action === 'resend'
      ? plural(number, { one: 'Send # again', other: 'Send # again' })
      : plural(number, { one: 'Cancel # delivery', other: 'Cancel # deliveries' });
  return (
    <Dialog
      open
      onClose={() => onClose(processed > 0)}
      title={action === 'resend' ? <Trans>Send deliveries again</Trans> : <Trans>Cancel deliveries</Trans>}
      actions={
        state === 'asking' ? (
          <>
            <Button onClick={() => onClose(false)}>
              <Trans>Leave it as it is</Trans>
            </Button>
            <Button look={action === 'resend' ? 'primary' : 'danger'} onClick={() => void run()}>
              {verb}
            </Button>
          </>
        ) : state === 'running' ? (
          <Button onClick={() => (stopped.current = true)}>
            <Trans>Stop</Trans>
          </Button>
        ) : (
          <Button look="primary" onClick={() => onClose(true)}>
            <Trans>Close</Trans>
          </Button>
        )
      }
    >
      {state === 'asking' ? (
        <div className="flex flex-col gap-2 text-sm">
          <p>
            {action === 'resend'
              ? plural(number, {
                  one: '# delivery is sent again, with its number, and gets all its retries again.',
                  other: '# deliveries are sent again, with their numbers, and get all their retries again.',
                })
              : plural(number, {
                  one: '# delivery will not be sent. A request that is under way ends.',
                  other: '# deliveries will not be sent. Requests that are under way end.',
                })}
          </p>
          {left > 0 && (
            <p className="text-soft">
              {action === 'resend' ? (
                <Trans>{count(left)} of those that you chose are not finished: they stay as they are.</Trans>
              ) : (
                <Trans>{count(left)} of those that you chose are finished: they stay as they are.</Trans>
              )}
            </p>
          )}
        </div>
      ) : (
        <div className="flex flex-col gap-3 text-sm">
          <ProgressBar label={t`Done`} part={number === 0 ? 1 : processed / number} />
          <p role="status" className="figures">
            {state === 'running' ? (
              <Trans>
                {count(processed)} of {count(number)}
              </Trans>
            ) : action === 'resend' ? (
              plural(done, {
                one: '# delivery is on its way again.',
                other: '# deliveries are on their way again.',
              })
            ) : (
              plural(done, { one: '# delivery is canceled.', other: '# deliveries are canceled.' })
            )}
            {state === 'ended' && processed < number && (
              <>
                {' '}
                <Trans>You stopped before the other {count(number - processed)}.</Trans>
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
        </div>
      )}
    </Dialog>
  );
}
