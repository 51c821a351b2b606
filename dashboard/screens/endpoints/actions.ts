import { useAddress } from '../../parts/place';
import { isAllowed, useViewer, useWritable } from '../../parts/viewer';

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

/** Whether the page's caller may begin an action that writes one of these parts of an endpoint. */
export function useSettable(
  endpoint: Parameters<typeof useOffered>[0],
): (action: Action, ...parts: string[]) => boolean {
  const isOffered = useOffered(endpoint);
  const isWritable = useWritable();
  return (action, ...parts) => isOffered(action) && parts.some(isWritable);
}

/** The actions of the settings: a link that begins one leads to them. */
const OF_SETTINGS: readonly Action[] = [
  ...(['edit', 'pace', 'headers', 'tls', 'compat', 'content', 'order'] as const),
  ...(['rotate', 'signing', 'rotateKey'] as const),
];

export type Tab = 'activity' | 'settings';

/** The state in an endpoint's address: `tab=settings`, and `do=pause` while the dialog of that action is open. */
function usePlace() {
  const [address, setAddress] = useAddress();
  const named = address['do'];
  const action = named !== undefined && Object.hasOwn(SCOPES, named) ? (named as Action) : undefined;
  const isOfSettings = address['tab'] === undefined && action !== undefined && OF_SETTINGS.includes(action);
  const tab: Tab = address['tab'] === 'settings' || isOfSettings ? 'settings' : 'activity';
  return { action, tab, setAddress };
}

export const useTab = (): Tab => usePlace().tab;

/** The action that somebody is about to do, and what begins another, or none. The tab below it stays. */
export function useAction(): [Action | undefined, (action: Action | undefined) => void] {
  const { action, tab, setAddress } = usePlace();
  const start = (next: Action | undefined) => {
    const isAbove = next !== undefined && OF_SETTINGS.includes(next);
    setAddress({ do: next, tab: tab === 'settings' || isAbove ? tab : undefined }, { replace: next === undefined });
  };
  return [action, start];
}
