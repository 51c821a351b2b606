import type { EmitTarget } from '../../../domain/events/emit.js';
import { invalidInput, type Path } from '../../../errors.js';
import { idOf } from '../fields/ids.js';
import type { EmitTargetInput } from './emit-types.js';

const TARGETS_MAX = 100;

/** The webhooks that an event is for. Postgres judges them when it writes the event. @throws ApiError invalid_input */
export function targetsIn(to: readonly EmitTargetInput[], path: Path): EmitTarget[] {
  if (to.length === 0 || to.length > TARGETS_MAX) {
    const detail = `must have 1 to ${TARGETS_MAX} webhooks; leave it out for all that match`;
    throw invalidInput([{ path, code: to.length === 0 ? 'too_small' : 'too_big', detail }]);
  }
  return to.map(({ webhookId = null, externalId = null, path: behind = null }, index): EmitTarget => {
    if ((webhookId === null) === (externalId === null)) {
      const detail = 'must have either webhookId or externalId, and not both';
      throw invalidInput([{ path: [...path, index], code: 'webhook_or_external_id', detail }]);
    }
    const named =
      webhookId === null ? { externalId: externalId! } : { webhookId: idOf('Webhook', webhookId, [...path, index]) };
    return behind === null ? named : { ...named, path: behind };
  });
}
