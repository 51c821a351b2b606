import { useLingui } from '@lingui/react/macro';
import { count } from '../text/numbers';

interface Bucket {
  attempts: number;
  failures: number;
}

/** The sums of buckets. */
export function sumsOf(buckets: readonly Bucket[] | null | undefined): Bucket {
  const sum = { attempts: 0, failures: 0 };
  for (const { attempts, failures } of buckets ?? []) {
    sum.attempts += attempts;
    sum.failures += failures;
  }
  return sum;
}

/** A row's attempts of the last day. */
export function DaySparkline({ buckets }: { buckets: readonly Bucket[] | null | undefined }) {
  const { t } = useLingui();
  const { attempts, failures } = sumsOf(buckets);
  return buckets && <Sparkline buckets={buckets} label={t`${count(attempts)} attempts, ${count(failures)} failed`} />;
}

/**
 * A bar for each bucket: how much there was, and of that what failed. For a row of a list; the numbers are beside it.
 *
 * @param label the picture in words, for screen readers.
 */
function Sparkline({ buckets, label }: { buckets: readonly Bucket[]; label: string }) {
  const most = Math.max(1, ...buckets.map(({ attempts }) => attempts));
  const width = 4;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${buckets.length * width} 20`}
      preserveAspectRatio="none"
      className="h-5 w-24"
    >
      {buckets.map(({ attempts, failures }, at) => {
        const height = attempts === 0 ? 0 : Math.max(1.5, (attempts / most) * 20);
        const failed = attempts === 0 ? 0 : (failures / attempts) * height;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: buckets have no identity but their place
          <g key={at}>
            <rect x={at * width} y={19.5} width={width - 1} height={0.5} className="fill-line-strong" />
            <rect x={at * width} y={20 - height} width={width - 1} height={height - failed} className="fill-good" />
            <rect x={at * width} y={20 - failed} width={width - 1} height={failed} className="fill-bad" />
          </g>
        );
      })}
    </svg>
  );
}
