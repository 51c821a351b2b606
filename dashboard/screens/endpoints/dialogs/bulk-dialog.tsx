import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { CombinedError } from 'urql';
import { Button, buttonLook } from '../../../parts/button';
import { Dialog } from '../../../parts/dialog';
import { Answer, Failure } from '../../../parts/page';
import { Link } from '../../../parts/place';
import { count } from '../../../text/numbers';

/** How long nobody changes anything before it is counted. */
const PAUSE_MS = 400;

/** The result of a dry run or a start. */
export interface BulkRun {
  total: number;
  totalCapped: boolean;
  bulkOperation?: { databaseId: number } | null;
}

/**
 * A dialog for work over many deliveries: counts what there is to do, starts it, and leads to it.
 *
 * @param choice the choice as text; another one is counted again. Undefined while it is not complete.
 * @param run counts, or starts it.
 * @param children the form; `noun` says in words what is counted.
 */
export function BulkDialog({
  title,
  choice,
  run,
  noun,
  action,
  children,
  onClose,
}: {
  title: ReactNode;
  choice: string | undefined;
  run: (dryRun: boolean) => Promise<{ run: BulkRun | undefined; error: CombinedError | undefined }>;
  noun: (total: number) => ReactNode;
  action: (total: string) => string;
  children: ReactNode;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const [counted, setCounted] = useState<{ choice: string; run: BulkRun }>();
  const [started, setStarted] = useState<BulkRun>();
  const [error, setError] = useState<CombinedError>();
  const [busy, setBusy] = useState(false);
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (choice === undefined) {
      return;
    }
    let isPast = false;
    const timer = setTimeout(async () => {
      const result = await latest.current(true);
      if (!isPast) {
        setError(result.error);
        setCounted(result.run && { choice, run: result.run });
      }
    }, PAUSE_MS);
    return () => {
      isPast = true;
      clearTimeout(timer);
    };
  }, [choice]);
  const start = async () => {
    setBusy(true);
    const result = await run(false);
    setBusy(false);
    setError(result.error);
    setStarted(result.run);
  };
  const found = counted?.choice === choice ? counted?.run : undefined;
  const operation = started?.bulkOperation;
  const total = found === undefined ? '…' : `${count(found.total)}${found.totalCapped ? '+' : ''}`;
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        operation ? (
          <>
            <Button onClick={onClose}>
              <Trans>Close</Trans>
            </Button>
            <Link to={`/operations/${operation.databaseId}`} className={buttonLook('primary')}>
              <Trans>Watch its progress</Trans>
            </Link>
          </>
        ) : (
          <>
            <Button onClick={onClose}>
              <Trans>Leave it as it is</Trans>
            </Button>
            <Button
              look="primary"
              disabled={busy || found === undefined}
              refused={found?.total === 0 ? t`There is nothing to do.` : undefined}
              onClick={() => void start()}
            >
              {action(total)}
            </Button>
          </>
        )
      }
    >
      {operation ? (
        <Answer tone="good">
          <Plural
            value={started.total}
            one="It is under way: # delivery."
            other="It is under way: # deliveries, one chunk after the other."
          />
        </Answer>
      ) : (
        <div className="flex flex-col gap-3">
          {children}
          {error ? (
            <Failure error={error} />
          ) : (
            <p role="status" className="figures min-h-5 text-sm font-medium">
              {found === undefined ? <span className="text-soft">{t`Counting …`}</span> : noun(found.total)}
              {found?.totalCapped && (
                <span className="font-normal text-soft">
                  {' '}
                  <Trans>There may be more: counting ended early, and all are done.</Trans>
                </span>
              )}
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}
