import { plural } from '@lingui/core/macro';
import { Plural, Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { EndpointRowFragment, OverviewQuery } from '../../api/generated/graphql';
import { type Pressing, REASONS, type Reason, type Resting } from '../../parts/attention';
import { buttonLook } from '../../parts/button';
import { endpointLabel } from '../../parts/cells';
import { Answer } from '../../parts/page';
import { Link } from '../../parts/place';
import type { Range } from '../../parts/range';
import { RANGE_WORDS } from '../../parts/range-words';
import { relative, useClock } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { count, percent } from '../../text/numbers';
import { tally } from '../../text/tally';
import { judge, toneOf, type Verdict } from './verdict';

interface VerdictProps {
  pressing: readonly { endpoint: EndpointRowFragment; reason: Pressing }[];
  /** Whether the page of no endpoint says anything else. */
  allFine: boolean;
  endpoints: number;
  /** Whether there are more endpoints than those that were looked at. */
  more: boolean;
  total: NonNullable<OverviewQuery['stats']>['total'] | undefined;
  oldestDueAt: string | null | undefined;
  range: Range;
}

/** The sentence that a person comes for, made from the whole screen. */
export function VerdictAnswer(props: VerdictProps) {
  const { pressing, endpoints, more, oldestDueAt } = props;
  const reasons = pressing.map(({ reason }) => reason);
  const oldestDueMs = useClock((now) =>
    oldestDueAt == null ? null : Math.floor((now - Date.parse(oldestDueAt)) / 10_000) * 10_000,
  );
  const figures = useFigures(props);
  const { attempts, failures, delivered, rate, when } = figures;
  const verdict = judge({ reasons, attempts, failures, oldestDueMs });
  return (
    <Answer tone={toneOf(verdict, reasons)}>
      <p className="font-medium">
        <Sentence {...props} {...figures} verdict={verdict} />
      </p>
      {(verdict === 'NEEDS_YOU' || verdict === 'LATE') && attempts > 0 && (
        <p className="text-sm text-soft">
          <Trans>
            <Plural value={delivered} one="# delivery" other="# deliveries" /> arrived {when}; {rate} of attempts
            succeeded.
          </Trans>
        </p>
      )}
      {more && (
        <p className="text-sm text-soft">
          <Trans>Based on the newest {count(endpoints)} endpoints and all that are inactive.</Trans>
        </p>
      )}
    </Answer>
  );
}

/** The sentence about the attempts of the range. */
function useFigures({ total, range }: Pick<VerdictProps, 'total' | 'range'>) {
  const { i18n } = useLingui();
  return {
    attempts: total?.attempts ?? 0,
    failures: total?.failures ?? 0,
    delivered: total?.successes ?? 0,
    rate: percent(total?.successRate),
    when: i18n._(RANGE_WORDS[range.name]),
  };
}

type SentenceProps = Omit<VerdictProps, 'total' | 'range' | 'more'> & ReturnType<typeof useFigures>;

function Sentence({ verdict, ...props }: SentenceProps & { verdict: Verdict }): ReactNode {
  switch (verdict) {
    case 'NEEDS_YOU':
      return <NeedsYou {...props} />;
    case 'LATE':
      return <Late {...props} />;
    case 'MANY_FAILURES':
      return <ManyFailures {...props} />;
    case 'QUIET':
      return <Quiet {...props} />;
    case 'FINE':
      return <Fine {...props} />;
  }
}

function NeedsYou({ pressing }: SentenceProps) {
  const [first] = pressing;
  return first !== undefined && pressing.length === 1 ? (
    <Trans>
      <Untrusted text={endpointLabel(first.endpoint)} /> needs you.
    </Trans>
  ) : (
    <Trans>
      {count(pressing.length)} endpoints need attention: <Reasons reasons={pressing.map(({ reason }) => reason)} />.
    </Trans>
  );
}

function Late({ oldestDueAt }: SentenceProps) {
  const due = useClock((now) => (oldestDueAt == null ? '' : relative(oldestDueAt, now, 'long')));
  return <Trans>Deliveries wait longer than usual: the oldest was due {due}.</Trans>;
}

function ManyFailures({ failures, attempts, when }: SentenceProps) {
  return (
    <Trans>
      {percent(failures / Math.max(1, attempts))} of attempts failed {when}. They are retried automatically.
    </Trans>
  );
}

function Quiet({ allFine, endpoints, when }: SentenceProps) {
  return allFine ? (
    <Trans>
      <Plural value={endpoints} one="Your endpoint is ready." other="All # endpoints are ready." /> Nothing was sent{' '}
      {when}.
    </Trans>
  ) : (
    <Trans>No endpoint is failing or disabled. Nothing was sent {when}.</Trans>
  );
}

function Fine({ allFine, endpoints, delivered, when, rate }: SentenceProps) {
  return allFine ? (
    <Trans>
      <Plural value={endpoints} one="Your endpoint is fine:" other="All # endpoints are fine:" />{' '}
      <Plural value={delivered} one="# delivery" other="# deliveries" /> {when}, {rate} of attempts succeeded.
    </Trans>
  ) : (
    <Trans>
      No endpoint is failing or disabled. <Plural value={delivered} one="# delivery" other="# deliveries" /> arrived{' '}
      {when}; {rate} of attempts succeeded.
    </Trans>
  );
}

/** The endpoints that get nothing, or not everything, although nobody has to act. */
export function RestingAnswer({ resting }: { resting: readonly Resting[] }) {
  return (
    resting.length > 0 && (
      <Answer
        tone="calm"
        actions={
          <Link to="/endpoints" className={buttonLook()}>
            <Trans>Show the endpoints</Trans>
          </Link>
        }
      >
        <Trans>
          <Reasons reasons={resting} named />. Nothing to do.
        </Trans>
      </Answer>
    )
  );
}

/** "3 are disabled and 1 fails". @param named the first one with its noun: "3 endpoints are disabled and 1 fails" */
function Reasons({ reasons, named = false }: { reasons: readonly Reason[]; named?: boolean }) {
  const { i18n } = useLingui();
  const words: Record<Reason, (n: number) => string> = {
    GONE: (n) => plural(n, { one: '# is gone', other: '# are gone' }),
    DISABLED: (n) => plural(n, { one: '# is disabled', other: '# are disabled' }),
    UNVERIFIED: (n) => plural(n, { one: '# is not verified', other: '# are not verified' }),
    FAILING: (n) => plural(n, { one: '# fails', other: '# fail' }),
    HOLDING: (n) => plural(n, { one: '# holds deliveries', other: '# hold deliveries' }),
    CLOSED: (n) => plural(n, { one: '# asked us to wait', other: '# asked us to wait' }),
    PAUSED: (n) => plural(n, { one: '# is paused', other: '# are paused' }),
  };
  const withNoun: Partial<typeof words> = {
    HOLDING: (n) => plural(n, { one: '# endpoint holds deliveries', other: '# endpoints hold deliveries' }),
    CLOSED: (n) => plural(n, { one: '# endpoint asked us to wait', other: '# endpoints asked us to wait' }),
    PAUSED: (n) => plural(n, { one: '# endpoint is paused', other: '# endpoints are paused' }),
  };
  const parts = tally(REASONS, reasons).map(({ value, times }, at) =>
    ((named && at === 0 ? withNoun[value] : undefined) ?? words[value])(times),
  );
  return <>{new Intl.ListFormat(i18n.locale).format(parts)}</>;
}
