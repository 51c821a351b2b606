import { Plural, Trans } from '@lingui/react/macro';
import { span, totalOf } from './pace';

const WIDTH = 320;
const EDGE = 10;
const LABEL_WIDTH = 44;

/** A schedule of retries in words: `6 attempts over 62 min`. */
export function ScheduleWords({ delays }: { delays: readonly number[] }) {
  const over = span(totalOf(delays));
  return delays.length === 0 ? (
    <Trans>1 attempt</Trans>
  ) : (
    <Plural value={delays.length + 1} other={`# attempts over ${over}`} />
  );
}

const anchorAt = (x: number) => (x < LABEL_WIDTH ? 'start' : x > WIDTH - LABEL_WIDTH ? 'end' : 'middle');

/** The attempts of a delivery on a line: the first at its begin, and the later the closer together. */
export function RetryLine({ delays }: { delays: readonly number[] }) {
  const times = [0];
  for (const delay of delays) {
    times.push(times.at(-1)! + delay);
  }
  const last = Math.log1p(times.at(-1) ?? 0) || 1;
  let labelledUpTo = Number.NEGATIVE_INFINITY;
  const marks = times.map((seconds) => {
    const x = EDGE + (Math.log1p(seconds) / last) * (WIDTH - 2 * EDGE);
    const isLabelled = x - labelledUpTo >= LABEL_WIDTH;
    labelledUpTo = isLabelled ? x : labelledUpTo;
    return { seconds, x, isLabelled };
  });
  return (
    <svg viewBox={`0 0 ${WIDTH} 34`} className="w-full max-w-sm text-accent" aria-hidden="true">
      <line x1={EDGE} x2={WIDTH - EDGE} y1="10" y2="10" className="stroke-line-strong" />
      {marks.map(({ seconds, x, isLabelled }) => (
        <g key={seconds}>
          <circle cx={x} cy="10" r="4" className="fill-current" />
          {isLabelled && (
            <text x={x} y="29" textAnchor={anchorAt(x)} className="fill-soft text-[10px]">
              {seconds === 0 ? '0' : span(seconds)}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}
