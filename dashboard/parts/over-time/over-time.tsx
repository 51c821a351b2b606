import type { Range } from '../range';
import { Skeleton } from '../skeleton';
import { whenWanted } from '../when-wanted';
import type { OverTimeProps } from './charts';

const Charts = whenWanted<OverTimeProps>(() => import('./charts'));
const NONE: readonly never[] = [];

/**
 * Attempts, their durations, the queue and the reasons of failures over time.
 *
 * @param wanted they come after the first figures of the screen.
 * @param buckets of the attempts; none while they are being read
 * @param endpoint its deliveries alone; default: those of the tenant.
 */
export function OverTime({
  wanted,
  buckets,
  range,
  endpoint,
  installation,
}: {
  wanted: boolean;
  buckets: OverTimeProps['buckets'] | undefined;
  range: Range;
  endpoint?: { id: string; databaseId: number };
  /** All tenants. */
  installation?: boolean;
}) {
  return (
    <div className="grid grid-cols-1 min-h-68.5 lg:min-h-141 xl:min-h-68.5">
      {!wanted && <Skeleton heights={['h-68.5']} />}
      <Charts
        wanted={wanted}
        buckets={buckets ?? NONE}
        range={range}
        endpoint={endpoint}
        installation={installation ?? false}
      />
    </div>
  );
}
