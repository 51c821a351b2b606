import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import type { InstallationNowQuery } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { Card } from '../../parts/page';
import { Time } from '../../parts/time';
import { Untrusted } from '../../parts/untrusted';
import { useFindingWords } from './use-finding-words';

type Installation = NonNullable<InstallationNowQuery['installation']>;
type Finding = Installation['findings'][number];

const LOOKS = {
  FAIL: { icon: CircleAlert, look: 'text-bad', rank: 0 },
  WARN: { icon: TriangleAlert, look: 'text-warn', rank: 1 },
  OK: { icon: CircleCheck, look: 'text-good', rank: 2 },
} as const;

/** The findings of a daemon's examination, as `hookwright doctor` prints them: problems first, the rest on demand. */
export function Findings({
  findings,
  examinedAt,
}: {
  findings: readonly Finding[];
  examinedAt: Installation['examinedAt'];
}) {
  const [all, setAll] = useState(false);
  const sorted = [...findings].sort((one, other) => LOOKS[one.level].rank - LOOKS[other.level].rank);
  const inOrder = findings.filter(({ level }) => level === 'OK').length;
  return (
    <Card
      flush
      title={<Trans>Findings</Trans>}
      actions={
        examinedAt != null && (
          <span className="text-xs text-soft">
            <Time value={examinedAt} />
          </span>
        )
      }
    >
      <ul className="divide-y divide-line text-sm">
        {sorted
          .filter(({ level }) => all || level !== 'OK')
          .map((finding) => (
            <FindingRow key={finding.name} finding={finding} />
          ))}
      </ul>
      {inOrder > 0 && (
        <div className="flex items-center justify-between gap-2 border-t border-line py-1.5 ps-3.5 pe-2 text-sm first:border-t-0">
          <span className="inline-flex items-center gap-2.5">
            <CircleCheck aria-hidden className="size-4 text-good" />
            <Plural value={inOrder} one="# check passed." other="# checks passed." />
          </span>
          <Button look="quiet" onClick={() => setAll(!all)}>
            {all ? <Trans>Hide them</Trans> : <Trans>Show them</Trans>}
          </Button>
        </div>
      )}
    </Card>
  );
}

function FindingRow({ finding }: { finding: Finding }) {
  const { t } = useLingui();
  const wordsOf = useFindingWords();
  const { level } = finding;
  const { name, text } = wordsOf(finding);
  const { icon: Icon, look } = LOOKS[level];
  const names = { FAIL: t`Problem`, WARN: t`Warning`, OK: t`Passed` };
  return (
    <li className="grid grid-cols-[1rem_minmax(0,1fr)] gap-x-2.5 px-3.5 py-1.5 sm:grid-cols-[1rem_9rem_minmax(0,1fr)]">
      <Icon role="img" aria-label={names[level]} className={`mt-0.5 size-4 ${look}`} />
      <span className="font-medium">
        <Untrusted text={name} />
      </span>
      <span className="text-soft [overflow-wrap:anywhere] max-sm:col-start-2">
        <Untrusted text={text} />
        {text !== finding.text && level !== 'OK' && (
          <details className="text-xs">
            <summary className="cursor-pointer">
              <Trans>Details in English</Trans>
            </summary>
            <span lang="en">
              <Untrusted text={finding.text} />
            </span>
          </details>
        )}
      </span>
    </li>
  );
}
