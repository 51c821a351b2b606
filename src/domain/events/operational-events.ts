import { foldHealth, type HealthState, type HealthStep, type HealthVerdict } from '../health.js';

/** Events about a tenant's own webhooks, like any others, which only the service emits. */
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

export interface OperationalEventsState extends HealthState {
  /** Whether the failure streak includes one of an ordinary event; without meaning while there is none. */
  ordinaryFailures: boolean;
  /** Whether `webhook.disabled` was raised, and `webhook.recovered` not yet. */
  disabledRaised: boolean;
}

export interface OperationalEventsStep extends HealthStep {
  operational: boolean;
}

export interface OperationalEventsVerdict {
  ordinaryFailures: boolean;
  disabled: HealthVerdict['disable'];
  recovered: boolean;
}

/**
 * Which operational events outcomes cause, in the order in which they finished. They must not breed more of them: two
 * webhooks that fail would report each other for ever. So a webhook that only their deliveries have disabled raises
 * none, and `recovered` only follows a `disabled`. `foldHealth` says which outcomes count.
 */
export function foldOperationalEvents(
  state: OperationalEventsState,
  steps: readonly OperationalEventsStep[],
  streakMsMin: number,
): OperationalEventsVerdict {
  const { generation, disabledRaised } = state;
  let { consecutiveFailures, failingForMs, lastFailureAgoMs, ordinaryFailures } = state;
  let recovered = false;
  for (const step of steps) {
    if (!state.active || step.generation !== generation) {
      continue;
    }
    const before = { active: true, generation, consecutiveFailures, failingForMs, lastFailureAgoMs };
    const verdict = foldHealth(before, [step], streakMsMin);
    if (step.verdict === 'SUCCEEDED') {
      recovered = disabledRaised;
    } else {
      ordinaryFailures = !step.operational || (consecutiveFailures > 0 && ordinaryFailures);
    }
    ({ consecutiveFailures, failingForMs } = verdict);
    lastFailureAgoMs = step.verdict === 'SUCCEEDED' || step.isSameClosing ? lastFailureAgoMs : 0;
    if (verdict.disable !== null) {
      return { ordinaryFailures, disabled: ordinaryFailures ? verdict.disable : null, recovered };
    }
  }
  return { ordinaryFailures, disabled: null, recovered };
}
