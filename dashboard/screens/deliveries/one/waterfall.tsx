import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { CircleCheck, CircleX } from 'lucide-react';
import { useShortcut } from '../../../parts/keyboard';
import { Card } from '../../../parts/page';
import { absolute, Time } from '../../../parts/time';
import { Untrusted } from '../../../parts/untrusted';
import { duration } from '../../../text/numbers';
import { answerText, PHASES, type Phase, phasesOf } from './answer';
import type { Attempt } from './documents';

const PHASE_NAMES: Record<Phase['name'], MessageDescriptor> = {
  dns: msg`Name`,
  connect: msg`Connection`,
  tls: msg`TLS`,
  firstByte: msg`First byte`,
  rest: msg`Rest`,
};

const PHASE_LOOKS: Record<Phase['name'], string> = {
  dns: 'bg-info',
  connect: 'bg-warn',
  tls: 'bg-accent',
  firstByte: 'bg-good',
  rest: 'bg-line-strong',
};

/** The attempts below each other, each with what it spent its time on: all bars have one scale. */
export function Waterfall({
  attempts,
  chosen,
  onChoose,
}: {
  attempts: readonly Attempt[];
  chosen: number;
  onChoose: (attempt: number) => void;
}) {
  const { t, i18n } = useLingui();
  const longest = Math.max(1, ...attempts.map(({ durationMs }) => durationMs));
  const at = attempts.findIndex(({ number }) => number === chosen);
  const go = (to: number) => {
    const attempt = attempts[to];
    if (attempt !== undefined) {
      onChoose(attempt.number);
    }
  };
  useShortcut('j', t`Next attempt`, attempts.length > 1 ? () => go(at + 1) : undefined);
  useShortcut('k', t`Previous attempt`, attempts.length > 1 ? () => go(at - 1) : undefined);
  return (
    <Card
      flush
      title={<Trans>Attempts</Trans>}
      actions={
        <ul aria-hidden className="flex flex-wrap gap-x-3 text-xs text-soft max-sm:hidden">
          {PHASES.map((phase) => (
            <li key={phase} className="flex items-center gap-1.5">
              <span className={`size-2 rounded-xs ${PHASE_LOOKS[phase]}`} />
              {i18n._(PHASE_NAMES[phase])}
            </li>
          ))}
        </ul>
      }
    >
      <table className="list w-full border-collapse text-sm" aria-label={t`Attempts`}>
        <thead className="sr-only">
          <tr>
            <th scope="col">{t`Attempt`}</th>
            <th scope="col">{t`Answer`}</th>
            <th scope="col">{t`Times`}</th>
            <th scope="col">{t`Duration`}</th>
            <th scope="col">{t`When`}</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map((attempt) => (
            <tr
              key={attempt.number}
              onClick={() => onChoose(attempt.number)}
              className={`h-9 cursor-pointer border-b border-line last:border-b-0 ${
                attempt.number === chosen ? 'bg-accent-soft' : 'hover:bg-sunken'
              }`}
            >
              <td className="w-px ps-3.5 whitespace-nowrap">
                <button
                  type="button"
                  aria-pressed={attempt.number === chosen}
                  aria-label={t`Show attempt ${attempt.number}`}
                  className="figures inline-flex min-h-6 items-center gap-2 font-medium"
                >
                  {attempt.errorCode == null ? (
                    <CircleCheck aria-hidden className="size-4 text-good" />
                  ) : (
                    <CircleX aria-hidden className="size-4 text-bad" />
                  )}
                  {attempt.number}
                </button>
              </td>
              <td data-card="title" className="w-px px-3 whitespace-nowrap max-cards:whitespace-normal">
                <code className={`figures font-mono text-xs ${attempt.errorCode == null ? 'text-soft' : 'text-bad'}`}>
                  <Untrusted text={answerText(attempt)} />
                </code>
              </td>
              <td data-card="line" className="px-1">
                <Bar attempt={attempt} longest={longest} />
              </td>
              <td data-card="corner" className="figures w-px px-3 text-end whitespace-nowrap">
                {duration(attempt.durationMs)}
              </td>
              <td
                data-card="corner"
                className="w-px pe-3.5 text-end whitespace-nowrap text-soft"
                title={absolute(attempt.startedAt)}
              >
                <Time value={attempt.startedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Bar({ attempt, longest }: { attempt: Attempt; longest: number }) {
  const { i18n } = useLingui();
  const phases = phasesOf(attempt);
  const text = phases.map(({ name, ms }) => `${i18n._(PHASE_NAMES[name])} ${duration(ms)}`).join(' · ');
  return (
    <div title={text} className="h-2.5">
      <span className="sr-only">{text}</span>
      <div
        aria-hidden
        className="flex h-full min-w-0.5 overflow-hidden rounded-xs"
        style={{ width: `${(attempt.durationMs / longest) * 100}%` }}
      >
        {phases.map(({ name, ms }) => (
          <span
            key={name}
            className={`${PHASE_LOOKS[name]} ${name === 'rest' && attempt.errorCode != null ? 'bg-bad/60' : ''}`}
            style={{ flexGrow: ms }}
          />
        ))}
      </div>
    </div>
  );
}

/** The phases of an attempt's time, in numbers. */
export function Timing({ attempt }: { attempt: Attempt }) {
  const { i18n } = useLingui();
  return (
    <dl className="flex flex-wrap gap-x-5 gap-y-1 text-xs">
      {phasesOf(attempt).map(({ name, ms }) => (
        <div key={name} className="flex items-center gap-1.5">
          <span aria-hidden className={`size-2 rounded-xs ${PHASE_LOOKS[name]}`} />
          <dt className="text-soft">{i18n._(PHASE_NAMES[name])}</dt>
          <dd className="figures font-medium">{duration(ms)}</dd>
        </div>
      ))}
    </dl>
  );
}
