import { Plural } from '@lingui/react/macro';
import { countUpTo } from '../text/numbers';
import { shortly } from './time';

/** Due deliveries that wait because their endpoints want it: nothing is wrong. Empty without any. */
export function Pauses({
  closed: { due, webhooks, until },
  countMax,
}: {
  closed: { due: number; webhooks: number; until?: string | null };
  countMax: number;
}) {
  if (due === 0 || until == null) {
    return null;
  }
  const number = countUpTo(due, countMax);
  const end = shortly(until);
  return (
    <Plural
      value={webhooks}
      one={`${number} wait for one endpoint, which asked for a pause until ${end}.`}
      other={`${number} wait for # endpoints, which asked for pauses until ${end} at the latest.`}
    />
  );
}
