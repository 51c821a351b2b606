import { Trans, useLingui } from '@lingui/react/macro';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import type { InstallationNowQuery } from '../../api/generated/graphql';
import { Card } from '../../parts/page';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';

type Installation = NonNullable<InstallationNowQuery['installation']>;

const LOOKS = {
  FAIL: { icon: CircleAlert, look: 'text-bad', rank: 0 },
  WARN: { icon: TriangleAlert, look: 'text-warn', rank: 1 },
  OK: { icon: CircleCheck, look: 'text-good', rank: 2 },
} as const;

/** All that a daemon has looked at, as `hookwright doctor` does: the worst first. */
export function Findings({
  findings,
  examinedAt,
}: {
  findings: Installation['findings'];
  examinedAt: Installation['examinedAt'];
}) {
  const { t } = useLingui();
  const sorted = [...findings].sort((one, other) => LOOKS[one.level].rank - LOOKS[other.level].rank);
  const names = { FAIL: t`Wrong`, WARN: t`Worth a look`, OK: t`In order` };
  return (
    <Card
      flush
      title={<Trans>What was examined</Trans>}
      actions={
        examinedAt != null && (
          <span className="text-xs text-soft">
            <Time value={examinedAt} />
          </span>
        )
      }
    >
      <ul className="text-sm">
        {sorted.map(({ name, level, text }) => {
          const { icon: Icon, look } = LOOKS[level];
          return (
            <li
              key={name}
              className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2.5 border-b border-line px-3.5 py-1.5 last:border-b-0 sm:grid-cols-[1rem_9rem_minmax(0,1fr)]"
            >
              <Icon role="img" aria-label={names[level]} className={`mt-0.5 size-4 ${look}`} />
              <span className="font-medium">
                <Untrusted text={name} />
              </span>
              <span className="text-soft max-sm:col-start-2 [overflow-wrap:anywhere]">
                <Untrusted text={text} />
              </span>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
