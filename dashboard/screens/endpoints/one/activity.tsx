import { EndpointAnswerView } from '../answer/endpoint-answer-view';
import { BlockedKeys, WaitingKeys } from '../ordering/blocked-keys';
import type { Keys } from '../ordering/use-keys';
import type { RequestLimits, ShownEndpoint } from '../use-endpoint';
import { ComingUp } from './coming-up';
import { EndpointCharts } from './endpoint-charts';
import { LatestDeliveries } from './latest-deliveries';
import { WhyFailed } from './why-failed';

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
  return (
    <>
      <EndpointAnswerView endpoint={endpoint} limits={limits} />
      <BlockedKeys endpoint={endpoint} keys={keys} />
      <EndpointCharts endpoint={endpoint} />
      <div className="grid grid-cols-1 items-start gap-4 lg:has-[>:nth-child(2)]:grid-cols-[minmax(0,1fr)_22rem]">
        <LatestDeliveries endpoint={endpoint} />
        <ComingUp endpoint={endpoint} />
      </div>
      <WhyFailed endpoint={endpoint} />
      <WaitingKeys keys={keys} />
    </>
  );
}
