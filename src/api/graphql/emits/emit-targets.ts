import type { EmitTarget } from '../../../domain/events/emit.js';
import { EXTERNAL_ID_RULE, isExternalId } from '../../../domain/ids/external-id.js';
import { invalidInput, type Path } from '../../../errors.js';
import { idOrNull } from '../fields/ids.js';
import type { EmitTargetInput } from './emit-types.js';

const TARGETS_MAX = 100;

/** The webhooks that an event is for. Postgres judges them when it writes the event. @throws ApiError invalid_input */
export function targetsIn(to: readonly EmitTargetInput[], path: Path): EmitTarget[] {
  if (to.length === 0 || to.length > TARGETS_MAX) {
    const detail = `must have 1 to ${TARGETS_MAX} webhooks; leave it out for all that match`;
    throw invalidInput([{ path, code: to.length === 0 ? 'too_small' : 'too_big', detail }]);
  }
  return to.map(({ webhookId = null, externalId = null, path: behind = null }, index): EmitTarget => {
    const at = [...path, index];
    if ((webhookId === null) === (externalId === null)) {
      const detail = 'must have either webhookId or externalId, and not both';
      throw invalidInput([{ path: at, code: 'webhook_or_external_id', detail }]);
    }
    const named = webhookId === null ? { externalId: externalId! } : { webhookId: idOrUnknown(webhookId, at) };
    if (named.externalId !== undefined && !isExternalId(named.externalId)) {
      throw invalidInput([
        { path: [...at, 'externalId'], code: 'external_id_malformed', detail: `must be ${EXTERNAL_ID_RULE}` },
      ]);
    }
    if (behind !== null && !isStorable(behind)) {
      const detail = 'must have printable ASCII characters alone; escape others, such as %C3%A9';
      throw invalidInput([{ path: [...at, 'path'], code: 'path_malformed', detail }]);
    }
    return behind === null ? named : { ...named, path: behind };
  });
}

function idOrUnknown(text: string, at: Path): number {
  const id = idOrNull('Webhook', text, [...at, 'webhookId']);
  if (id === null) {
    const detail = 'is not a webhook of this tenant';
    throw invalidInput([{ path: at, code: 'webhook_unknown', detail }]);
  }
  return id;
}

/** Postgres stores neither NUL nor halves of surrogate pairs, so it cannot judge them. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
