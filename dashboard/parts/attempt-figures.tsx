import { Trans, useLingui } from '@lingui/react/macro';
import { compact, count, countUpTo, duration, percent } from '../text/numbers';
import { Figure, Figures } from './page';
import type { Range } from './range';
import { RANGE_WORDS } from './range-words';

/** Statistics of a time range, as the API returns them: ISO 8601, counts of attempts, and milliseconds. */
interface Stats {
  since: string;
  until: string;
  total: {
    attempts: number;
    successes: number;
    failures: number;
    successRate?: number | null;
    p50Ms?: number | null;
    p95Ms?: number | null;
    p99Ms?: number | null;
  };
}

/** The outcomes of a time range's attempts, in figures. */
export function AttemptFigures({
  stats: { since, until, total },
  backlog,
  range,
}: {
  stats: Stats;
  backlog: { held: number; countMax: number } | null | undefined;
  range: Range;
}) {
  const { i18n } = useLingui();
  const end = range.until === undefined ? Date.now() : Date.parse(until);
  const minutes = Math.max(1, (end - Date.parse(since)) / 60_000);
  return (
    <Figures>
      <Figure name={<Trans>Delivered</Trans>} value={count(total.successes)} remark={i18n._(RANGE_WORDS[range.name])} />
      <Figure
        name={<Trans>Failed attempts</Trans>}
        value={count(total.failures)}
        tone={total.failures > 0 ? 'bad' : undefined}
        remark={<Trans>of {count(total.attempts)}</Trans>}
      />
      <Figure
        name={<Trans>Success</Trans>}
        value={percent(total.successRate)}
        remark={<Trans>{compact(total.attempts / minutes)} attempts a minute</Trans>}
      />
      <Figure
        name={<Trans>Held</Trans>}
        value={backlog ? countUpTo(backlog.held, backlog.countMax) : '–'}
        tone={backlog && backlog.held > 0 ? 'warn' : undefined}
        remark={<Trans>now</Trans>}
      />
      <Figure
        name={<Trans>Duration, p50</Trans>}
        value={duration(total.p50Ms)}
        remark={<Trans>half of the attempts</Trans>}
      />
      <Figure
        name={<Trans>Duration, p95</Trans>}
        value={duration(total.p95Ms)}
        remark={<Trans>p99: {duration(total.p99Ms)}</Trans>}
      />
    </Figures>
  );
}
