import { Plural, Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { count, countUpTo } from '../text/numbers';
import { Button } from './button';
import { Dialog } from './dialog';
import { Failure } from './page';

/** Work over many deliveries: counted, then started, then watched. */
export interface BulkWork {
  /** Undefined until it is counted. */
  total: number | undefined;
  isCounting?: boolean;
  /** Whether counting stopped at `total`; the work goes through all. */
  totalCapped?: boolean;
  /** How many match, but cannot be part of it: their endpoint is inactive or deleted. */
  leftOut?: number;
  busy?: boolean;
  error?: CombinedError | undefined;
  start: () => void;
  /** Ends it early; undefined where that is not possible, and when it has ended. */
  stop?: (() => void) | undefined;
  /** How far it has come; undefined until it is started. */
  progress: ReactNode | undefined;
}

/**
 * Counts what there is to do, asks, starts it, and shows how far it has come.
 *
 * @param action names the button that starts it. `text` is the count as people read it: `1,000+`.
 * @param consequence says what will happen to so many.
 * @param children the choice, as a form or in words.
 */
export function BulkDialog({
  title,
  work,
  action,
  danger,
  consequence,
  children,
  onClose,
}: {
  title: ReactNode;
  work: BulkWork;
  action: (total: number, text: string) => string;
  danger?: boolean;
  consequence: (total: number) => ReactNode;
  children?: ReactNode;
  onClose: () => void;
}) {
  const { total, totalCapped, busy, error, start, stop, progress } = work;
  const text = total === undefined ? '…' : totalCapped ? countUpTo(total, total) : count(total);
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      actions={
        <>
          {stop === undefined ? (
            <Button look={progress === undefined ? 'plain' : 'primary'} onClick={onClose}>
              <Trans>Close</Trans>
            </Button>
          ) : (
            <Button onClick={stop}>
              <Trans>Stop</Trans>
            </Button>
          )}
          {progress === undefined && (
            <Button look={danger ? 'danger' : 'primary'} disabled={busy || !total} onClick={start}>
              {total === undefined && work.isCounting ? <Trans>Counting…</Trans> : action(total ?? 0, text)}
            </Button>
          )}
        </>
      }
    >
      <div className="flex min-h-16 flex-col gap-3 text-sm">
        {progress ?? (
          <>
            {children}
            <div role="status" className="figures min-h-5">
              <Counted work={work} text={text} consequence={consequence} />
            </div>
          </>
        )}
        {error !== undefined && <Failure error={error} />}
      </div>
    </Dialog>
  );
}

function Counted({
  work: { total, totalCapped, leftOut = 0, isCounting },
  text,
  consequence,
}: {
  work: BulkWork;
  text: string;
  consequence: (total: number) => ReactNode;
}) {
  if (total === undefined) {
    return (
      isCounting && (
        <span className="text-soft">
          <Trans>Counting…</Trans>
        </span>
      )
    );
  }
  return (
    <>
      {total > 0 && <p className="font-medium">{consequence(total)}</p>}
      {total === 0 && leftOut === 0 && <Trans>Nothing matches.</Trans>}
      {leftOut > 0 && (
        <p className="text-warn">
          <Plural
            value={leftOut}
            one="# delivery is not included: its endpoint is inactive or deleted."
            other="# deliveries are not included: their endpoints are inactive or deleted."
          />
        </p>
      )}
      {totalCapped && (
        <p className="text-soft">
          <Trans>Counting stopped at {text}. The operation includes every match.</Trans>
        </p>
      )}
    </>
  );
}
