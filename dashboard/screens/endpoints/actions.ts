import type { Search } from '../../parts/place';
import { useAddress } from '../../parts/place';

/** What can be done with an endpoint; the address keeps which one somebody is about to do, as `do=pause`. */
export const ACTIONS = [
  'test',
  'edit',
  'pause',
  'enable',
  'release',
  'rotate',
  'recover',
  'replay',
  'delete',
] as const;

export type Action = (typeof ACTIONS)[number];

/** The action whose dialog is open, and what opens another one, or none. */
export function useAction(): [Action | undefined, (action: Action | undefined) => void] {
  const [address, setAddress] = useAddress();
  const named = address['do'];
  const action = ACTIONS.find((one) => one === named);
  return [action, (next) => setAddress({ do: next } as Search, { replace: next === undefined })];
}
