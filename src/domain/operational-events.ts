import { foldHealth, type HealthState, type HealthStep, type HealthVerdict } from './health.js';

/** What the service tells a tenant about its own webhooks: events like any other, which only the service emits. */
export const OPERATIONAL_EVENT_TYPES = [
  'webhook.disabled',
  'webhook.recovered',
  'delivery.exhausted',
  'webhook.held_expiring',
] as const;

export type OperationalEventType = (typeof OPERATIONAL_EVENT_TYPES)[number];

export function isOperational(eventType: string): boolean {
  return (OPERATIONAL_EVENT_TYPES as readonly string[]).includes(eventType);
}

export interface NewsState extends HealthState {
  /** Whether the failures in a row include one of an ordinary event; without meaning while there are none. */
  ordinaryFailures: boolean;
  /** Whether `webhook.disabled` was raised, and `webhook.recovered` not yet. */
  failureTold: boolean;
}

export interface NewsStep extends HealthStep {
  operational: boolean;
}

export interface News {
  ordinaryFailures: boolean;
  disabled: HealthVerdict['disable'];
  recovered: boolean;
}

/**
 * What outcomes, in the order in which they finished, give a webhook's owner to know.
 *
 * Operational events must not breed more of them: two webhooks that fail would tell each other so for ever. So a
 * webhook that only their deliveries have disabled is no news, and `recovered` only ends what `disabled` has begun.
 * Which outcomes count is `foldHealth`'s to say.
 */
export function foldNews(state: NewsState, steps: readonly NewsStep[]): News {
  const { generation, failureTold } = state;
  let { consecutiveFailures, ordinaryFailures } = state;
  let recovered = false;
  for (const step of steps) {
    if (!state.active || step.generation !== generation) {
      continue;
    }
    const verdict = foldHealth({ active: true, generation, consecutiveFailures }, [step]);
    if (step.verdict === 'SUCCEEDED') {
      recovered = failureTold;
    } else {
      ordinaryFailures = !step.operational || (consecutiveFailures > 0 && ordinaryFailures);
    }
    consecutiveFailures = verdict.consecutiveFailures;
    if (verdict.disable !== null) {
      return { ordinaryFailures, disabled: ordinaryFailures ? verdict.disable : null, recovered };
    }
  }
  return { ordinaryFailures, disabled: null, recovered };
}
