import type { OverviewQuery } from '../../api/generated/graphql';
import type { Range } from '../../parts/range';
import { BacklogCard } from './backlog-card';
import { LatestFailures } from './latest-failures';

export interface BelowProps {
  data: OverviewQuery;
  range: Range;
}

/** The end of the overview: what is still to be sent, and what failed last. */
export default function Below({ data, range }: BelowProps) {
  return (
    <>
      {data.backlog && <BacklogCard backlog={data.backlog} closed={data.closedBacklog} retrying={data.now?.retrying} />}
      {data.failed && <LatestFailures rows={data.failed.edges.map(({ node }) => node)} range={range} />}
    </>
  );
}
