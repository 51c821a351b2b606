import { useLingui } from '@lingui/react/macro';
import { Suspense, useDeferredValue } from 'react';
import { useQuery } from 'urql';
import { OverTime } from '../../parts/over-time/over-time';
import { Failure, PageHead } from '../../parts/page';
import { RangePicker, useRange } from '../../parts/range';
import { useRefresh } from '../../parts/refresh';
import { Skeleton } from '../../parts/skeleton';
import { whenWanted } from '../../parts/when-wanted';
import { Ages } from './ages';
import { ATTEMPTS, FAILING, KEPT, NOW } from './documents';
import { FailingNow } from './failing-now';
import { FirstSteps } from './first-steps';
import { InstallationFigures } from './installation-figures';
import { OverallStatusAnswer } from './overall-status-answer';
import type { PartsProps } from './parts';
import { useReadAt } from './use-read-at';

/** The figures come first: room is kept for it. */
const Daemons = whenWanted(() => import('./daemons'));
/** It is below the charts, and comes after them. */
const Parts = whenWanted<PartsProps>(() => import('./parts'));

const LOADING = <Skeleton heights={['h-11.5', 'h-33.5', 'h-4', 'h-68.5']} />;
const NOW_EVERY_MS = 5_000;
const ATTEMPTS_EVERY_MS = 60_000;
const FAILING_EVERY_MS = 15_000;

/** The installation at a glance: first whether all is well, then what it does, then what it keeps. */
export default function InstallationPage() {
  const { t } = useLingui();
  const range = useRange();
  const { since, until } = range;
  const [now, readNow] = useQuery({ query: NOW });
  const [attempts, readAttempts] = useQuery({ query: ATTEMPTS, variables: { since, until: until ?? null } });
  const [kept, readKept] = useQuery({ query: KEPT });
  const [latestFailing, readFailing] = useQuery({ query: FAILING });
  // The page keeps its content while the table comes.
  const failing = useDeferredValue(latestFailing);
  useRefresh(readNow, NOW_EVERY_MS);
  useRefresh(readAttempts, ATTEMPTS_EVERY_MS);
  useRefresh(readFailing, FAILING_EVERY_MS);
  const readAt = { now: useReadAt(now), attempts: useReadAt(attempts) };
  // The list of what fails has any height: nothing below it is shown before it.
  const isRead = failing.data !== undefined || failing.error !== undefined;
  const installation = isRead ? now.data?.installation : undefined;
  const stats = isRead ? attempts.data?.installation?.stats : undefined;
  const failures = failing.data?.installation?.failures;
  const error = now.error ?? attempts.error ?? kept.error;
  const readAgain = () => {
    for (const read of [readNow, readAttempts, readKept]) {
      read();
    }
  };
  return (
    <>
      <PageHead title={t`Installation`} actions={<RangePicker />} />
      <div className="flex flex-col gap-4">
        {/* The verdict on figures that cannot be read again would be wrong: how old they are is said below. */}
        {error ? (
          <Failure error={error} retry={readAgain} />
        ) : (
          installation && <OverallStatusAnswer installation={installation} />
        )}
        <FirstSteps />
        <Suspense fallback={LOADING}>
          <FailingNow state={failing} readAgain={readFailing} />
          {installation && <InstallationFigures now={installation} stats={stats ?? undefined} range={range} />}
          {installation && <Ages {...readAt} findings={installation.examinedAt} />}
          {!installation && !error && LOADING}
          {installation && (
            <div className="min-h-26">
              <Daemons wanted daemons={installation.daemons} />
            </div>
          )}
          {installation && (stats || !error) && (
            <OverTime installation wanted={stats !== undefined} buckets={stats?.buckets} range={range} />
          )}
          <Parts wanted={isRead} now={installation} kept={kept.data?.installation} failures={failures} />
        </Suspense>
      </div>
    </>
  );
}
