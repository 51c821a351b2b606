import type { Range } from '../range';
import { Skeleton } from '../skeleton';
import { whenWanted } from '../when-wanted';
import type { OverTimeProps } from './charts';

const Charts = whenWanted<OverTimeProps>(() => import('./charts'));

/**
 * The queue and the reasons of failures over time, beside the attempts.
 *
 * @param wanted they come after the first figures of the screen.
 * @param endpoint its deliveries alone; default: those of the tenant.
 */
export function OverTime({
  wanted,
  range,
  endpoint,
  installation,
}: {
  wanted: boolean;
  range: Range;
  endpoint?: { id: string; databaseId: number };
  /** All tenants. */
  installation?: boolean;
}) {
  return (
    <div className="grid min-h-141 lg:min-h-68.5">
      {!wanted && <Skeleton heights={['h-68.5']} />}
      <Charts wanted={wanted} range={range} endpoint={endpoint} installation={installation ?? false} />
    </div>
  );
}
