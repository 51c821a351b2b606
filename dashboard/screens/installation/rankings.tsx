import { Trans } from '@lingui/react/macro';
import { NoValue } from '../../parts/list';
import { useClock } from '../../parts/time';
import { count, duration } from '../../text/numbers';

/** How many webhooks the service compares for an order. */
const COMPARED = 500;

/** Failed attempts of a row. */
export const Failures = ({ failures }: { failures: number }) =>
  failures === 0 ? <NoValue>0</NoValue> : <span className="font-medium text-bad">{count(failures)}</span>;

/** How long the oldest due delivery has waited. @param since when it became due */
export function Wait({ since }: { since: string | null | undefined }) {
  const wait = useClock((now) => (since == null ? undefined : duration(Math.max(0, now - Date.parse(since)))));
  return wait ?? <NoValue />;
}

/** The end of a list in an order: what the order covers. */
export const Ranked = ({ shown }: { shown: number }) => (
  <p className="figures border-t border-line px-3.5 py-2 text-xs text-soft">
    <Trans>
      {shown} shown, ordered by the {COMPARED} worst endpoints. Those without any are left out.
    </Trans>
  </p>
);
