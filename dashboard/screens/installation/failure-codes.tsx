import { Trans, useLingui } from '@lingui/react/macro';
import type { FailingNowQuery } from '../../api/generated/graphql';
import { Card, Empty } from '../../parts/page';
import { count } from '../../text/numbers';
import { remedyFor } from '../../text/remedies';

type Failures = NonNullable<FailingNowQuery['installation']>['failures'];

const SHOWN = 8;

/** Why the newest deliveries of all tenants failed last, the most frequent reason first. */
export function FailureCodes({ failures }: { failures: Failures }) {
  const { i18n } = useLingui();
  const most = Math.max(1, ...failures.map(({ deliveries }) => deliveries));
  return (
    <Card flush title={<Trans>Recent failure reasons</Trans>}>
      {failures.length === 0 ? (
        <Empty title={<Trans>No failing deliveries</Trans>}>
          <Trans>A later success clears a failure.</Trans>
        </Empty>
      ) : (
        <ul className="grid gap-x-4 lg:grid-cols-2">
          {failures.slice(0, SHOWN).map(({ errorCode, deliveries }) => (
            <li
              key={errorCode}
              className="grid grid-cols-[minmax(0,1fr)_5rem_3.5rem] items-center gap-3 px-3.5 py-1.5 text-sm max-cards:grid-cols-[minmax(0,1fr)_auto]"
            >
              <div className="min-w-0">
                <code className="block truncate font-mono text-xs font-medium">{errorCode}</code>
                <span className="block text-xs text-soft">{i18n._(remedyFor(errorCode).why)}</span>
              </div>
              <svg aria-hidden viewBox="0 0 100 6" preserveAspectRatio="none" className="h-1.5 w-full max-cards:hidden">
                <rect width="100" height="6" rx="3" className="fill-sunken" />
                <rect width={Math.max(2, (deliveries / most) * 100)} height="6" rx="3" className="fill-bad" />
              </svg>
              <span className="figures text-end">{count(deliveries)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
