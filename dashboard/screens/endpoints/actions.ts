import { useAddress } from '../../parts/place';
import { isAllowed, useViewer } from '../../parts/viewer';

/** The actions on an endpoint, and the scope that each needs. */
const SCOPES = {
  test: 'webhooks:test',
  edit: 'webhooks:edit',
  pace: 'webhooks:options',
  headers: 'webhooks:options',
  tls: 'webhooks:options',
  compat: 'webhooks:options',
  content: 'webhooks:options',
  order: 'webhooks:options',
  pause: 'webhooks:edit',
  enable: 'webhooks:edit',
  release: 'webhooks:edit',
  /** Asks about the deliveries that were held before a change. */
  earlier: 'deliveries:bulk',
  rotate: 'webhooks:secrets',
  signing: 'webhooks:options',
  rotateKey: 'webhooks:secrets',
  attempt: 'deliveries:bulk',
  recover: 'deliveries:bulk',
  replay: 'deliveries:bulk',
  delete: 'webhooks:edit',
} as const;

export type Action = keyof typeof SCOPES;

const NEEDS_ACTIVE: readonly Action[] = ['test', 'pause', 'release', 'attempt', 'recover', 'replay'];

/** Whether the server would accept an action now from this page's caller. */
export function useOffered(endpoint: {
  active: boolean;
  heldCount: number;
  disabledReason?: string | null;
}): (action: Action) => boolean {
  const viewer = useViewer();
  const { active, heldCount, disabledReason } = endpoint;
  return (action) =>
    isAllowed(viewer, SCOPES[action]) &&
    (active || !NEEDS_ACTIVE.includes(action)) &&
    // One that is not verified becomes active by its proof alone.
    (action !== 'enable' || (!active && disabledReason !== 'UNVERIFIED')) &&
    ((action !== 'release' && action !== 'earlier') || heldCount > 0);
}

/** The action that somebody is about to do, which the address keeps as `do=pause`, and what begins another, or none. */
export function useAction(): [Action | undefined, (action: Action | undefined) => void] {
  const [address, setAddress] = useAddress();
  const named = address['do'];
  const action = named !== undefined && Object.hasOwn(SCOPES, named) ? (named as Action) : undefined;
  return [action, (next) => setAddress({ do: next }, { replace: next === undefined })];
}
