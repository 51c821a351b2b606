import { WaitingKeys } from '../ordering/blocked-keys';
import type { Keys } from '../ordering/use-keys';
import type { ShownEndpoint } from '../use-endpoint';
import { ComingUp } from './coming-up';
import { LatestDeliveries } from './latest-deliveries';
import { WhyFailed } from './why-failed';

export interface BelowProps {
  endpoint: ShownEndpoint;
  keys: Keys;
}

/** The end of an endpoint's activity: its deliveries, those that come up, and why some failed or wait. */
export default function Below({ endpoint, keys }: BelowProps) {
  return (
    <>
      <div className="grid grid-cols-1 items-start gap-4 lg:has-[>:nth-child(2)]:grid-cols-[minmax(0,1fr)_22rem]">
        <LatestDeliveries endpoint={endpoint} />
        <ComingUp endpoint={endpoint} />
      </div>
      <WhyFailed endpoint={endpoint} />
      <WaitingKeys keys={keys} />
    </>
  );
}
