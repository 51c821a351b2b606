import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { compact, count, countUpTo, duration, percent } from '../text/numbers';
import { Figure, Figures } from './page';
import { Link, type Search } from './place';
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

/**
 * The outcomes of a time range's attempts, in figures.
 *
 * @param counts how many deliveries the lists have, which are not the attempts: a delivery of before may be tried now.
 * @param list where deliveries in a state are listed; without it no figure is a link.
 */
export function AttemptFigures({
  stats: { since, until, total },
  backlog,
  range,
  counts,
  list,
}: {
  stats: Stats;
  backlog: { held: number; countMax: number } | null | undefined;
  range: Range;
  counts?: { delivered?: number | null; lastAttemptFailed?: number | null } | null | undefined;
  list?: (status: string) => Search;
}) {
  const { i18n } = useLingui();
  const end = range.until === undefined ? Date.now() : Date.parse(until);
  const failed = listed(counts?.lastAttemptFailed, list?.('ATTEMPT_FAILED'));
  const minutes = Math.max(1, (end - Date.parse(since)) / 60_000);
  return (
    <Figures>
      <Figure
        name={<Trans>Delivered</Trans>}
        value={count(total.successes)}
        remark={listed(counts?.delivered, list?.('SUCCEEDED')) ?? i18n._(RANGE_WORDS[range.name])}
      />
      <Figure
        name={<Trans>Failed attempts</Trans>}
        value={count(total.failures)}
        tone={total.failures > 0 ? 'bad' : undefined}
        remark={
          <>
            <Trans>of {count(total.attempts)}</Trans>
            {failed && ' · '}
            {failed}
          </>
        }
      />
      <Figure
        name={<Trans>Success</Trans>}
        value={percent(total.successRate)}
        remark={<Trans>{compact(total.attempts / minutes)} attempts a minute</Trans>}
      />
      <Figure
        name={link(<Trans>Held</Trans>, list && { status: 'HELD' })}
        value={backlog ? countUpTo(backlog.held, backlog.countMax) : '–'}
        tone={backlog && backlog.held > 0 ? 'warn' : undefined}
        remark={<Trans>now</Trans>}
      />
      <Figure name={<Trans>Duration, p50</Trans>} value={duration(total.p50Ms)} remark={<Trans>median</Trans>} />
      <Figure
        name={<Trans>Duration, p95</Trans>}
        value={duration(total.p95Ms)}
        remark={<Trans>p99: {duration(total.p99Ms)}</Trans>}
      />
    </Figures>
  );
}

/** The way to the deliveries of a list; undefined where there are none, or they are not counted. */
function listed(deliveries: number | null | undefined, search: Search | undefined): ReactNode {
  return search && deliveries ? link(<Trans>See them</Trans>, search) : undefined;
}

/** Leads to the list that a figure is about. */
function link(words: ReactNode, search: Search | undefined): ReactNode {
  return search === undefined ? (
    words
  ) : (
    <Link to="/deliveries" search={search} className="text-inherit underline decoration-line-strong hover:text-ink">
      {words}
    </Link>
  );
}
