import { Plural } from '@lingui/react/macro';
import { countUpTo } from '../text/numbers';
import { shortly } from './time';

interface Closed {
  due: number;
  webhooks: number;
  until?: string | null;
}

/** How many due deliveries wait because their endpoints want it, which is nothing wrong. Shown while some do. */
export function Pauses({ closed: { due, webhooks, until }, countMax }: { closed: Closed; countMax: number }) {
  const number = countUpTo(due, countMax);
  const end = shortly(until ?? 0);
  return (
    <Plural
      value={webhooks}
      one={`${number} wait for one endpoint, which asked for a pause until ${end}.`}
      other={`${number} wait for # endpoints, which asked for pauses until ${end} at the latest.`}
    />
  );
}
