import { lazy, Suspense, useDeferredValue } from 'react';
import { laterScript } from '../../../api/scripts';
import { whenWanted } from '../../../parts/when-wanted';
import { EndpointAnswerView } from '../answer/endpoint-answer-view';
import type { Keys } from '../ordering/use-keys';
import type { RequestLimits, ShownEndpoint } from '../use-endpoint';
import type { BelowProps } from './below';
import { EndpointCharts } from './endpoint-charts';

/** Few endpoints have some. What is below waits for them, so that nothing moves when they come. */
const BlockedKeys = lazy(
  laterScript(async () => ({ default: (await import('../ordering/blocked-keys')).BlockedKeys })),
);
/** It is below the charts, and comes after the figures. */
const Below = whenWanted<BelowProps>(() => import('./below'));

/** How an endpoint is, why, and what can be done now; then what it has done, and what comes next. */
export function Activity({
  endpoint,
  keys,
  limits,
}: {
  endpoint: ShownEndpoint;
  keys: Keys;
  limits?: RequestLimits | undefined;
}) {
  // The page keeps its content while they come.
  const isBlocked = useDeferredValue(keys.keys.some(({ blockedAt }) => blockedAt != null));
  return (
    <>
      <EndpointAnswerView endpoint={endpoint} limits={limits} />
      <Suspense>
        {isBlocked && <BlockedKeys endpoint={endpoint} keys={keys} />}
        <EndpointCharts endpoint={endpoint} />
        <Below wanted endpoint={endpoint} keys={keys} />
      </Suspense>
    </>
  );
}
