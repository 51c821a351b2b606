import { useLingui } from '@lingui/react/macro';
import { Card } from './page';

/** Keeps the room of what is being read, so that nothing moves when it comes. @param heights different classes, such as `h-40` */
export function Skeleton({ heights }: { heights: readonly string[] }) {
  const { t } = useLingui();
  return (
    <div role="status" aria-label={t`Loading`} className="flex animate-pulse flex-col gap-4 motion-reduce:animate-none">
      {heights.map((height) => (
        <div key={height} className={`rounded-lg bg-sunken ${height}`} />
      ))}
    </div>
  );
}

/** The head and the rows of a table that is being read. */
export function TableSkeleton({ rows = 8 }: { rows?: number }) {
  const { t } = useLingui();
  return (
    <Card flush>
      <div role="status" aria-label={t`Loading`} className="animate-pulse motion-reduce:animate-none">
        <div className="h-8 border-b border-line max-cards:hidden" />
        {Array.from({ length: rows }, (_, at) => at).map((at) => (
          <div key={at} className="flex h-7.5 items-center border-b border-line px-3.5 last:border-b-0 max-cards:h-23">
            <span className={`h-2 rounded-full bg-sunken ${WIDTHS[at % WIDTHS.length]}`} />
          </div>
        ))}
      </div>
    </Card>
  );
}

const WIDTHS = ['w-2/3', 'w-1/2', 'w-3/5', 'w-2/5'];
