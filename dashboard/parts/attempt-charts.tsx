import type { AttemptPlotsProps } from './attempt-plots';
import { whenWanted } from './when-wanted';

const Plots = whenWanted<AttemptPlotsProps>(() => import('./attempt-plots'));

/**
 * How many attempts succeeded and failed over time, and how long they took. They come after the first figures.
 *
 * @param buckets none while they are being read
 */
export function AttemptCharts({ buckets }: AttemptPlotsProps) {
  return (
    <div className="grid min-h-141 lg:min-h-68.5">
      <Plots wanted buckets={buckets} />
    </div>
  );
}
