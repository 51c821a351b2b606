import type { Emit, Refused } from '../../../domain/events/emit.js';
import { cellOf } from '../../../domain/ids/cell.js';
import { globalId } from '../../../domain/ids/global-id.js';
import { ApiError, invalidInput, notFound, type Path, tenantElsewhere, tenantMoving } from '../../../errors.js';
import { cellOfMissing } from '../../../operations/cells/own-cell.js';
import { NO_SUCH_TYPE } from '../../../operations/event-types/event-type-registry.js';
import type { HasPool } from '../../../platform/database/database.js';

/** Adds the path to a refusal, for requests with several events. */
export function refusedAt(path: Path, { reason, detail, extra }: ApiError): ApiError {
  return new ApiError(reason, detail, { ...extra, issues: [{ path, code: reason, detail }] });
}

/** Postgres says which target it is about: `targets[2] stands there twice.` */
function targetIssue(sentence: string, path: Path): { path: Path; detail: string } {
  const [, at, detail] = /^targets\[(\d+)\] (.*)\.$/.exec(sentence) ?? [];
  return at === undefined
    ? { path: [...path, 'to'], detail: sentence }
    : { path: [...path, 'to', Number(at)], detail: detail! };
}

/** Says in which cells tenants live that are elsewhere, which is read for a refused emit alone. */
export async function withCells<Result extends { refused: string | null }>(
  { pool }: HasPool,
  emits: readonly Emit[],
  results: readonly Result[],
): Promise<Result[]> {
  return await Promise.all(
    results.map(async (result, index) =>
      result.refused === 'TENANT_ELSEWHERE'
        ? { ...result, cell: await cellOfMissing(pool, emits[index]!.tenantId) }
        : result,
    ),
  );
}

/** The error for an event that the emitter refused. @param path of the event in the request */
export function refusalError(
  { refused: reason, detail = null, cell }: Refused,
  { tenantId }: Emit,
  path: Path,
): ApiError {
  const badType = (code: string, detail: string) => invalidInput([{ path: [...path, 'eventType'], code, detail }]);
  switch (reason) {
    case 'TENANT_UNKNOWN':
      return refusedAt([...path, 'tenantId'], notFound('tenant', globalId('Tenant', tenantId)));
    case 'TENANT_MOVING':
      return tenantMoving();
    case 'TENANT_ELSEWHERE':
      return tenantElsewhere(cell ?? cellOf(tenantId), `Tenant ${tenantId}`);
    case 'IDEMPOTENCY_KEY_REUSED':
      return refusedAt(
        [...path, 'idempotencyKey'],
        new ApiError(
          'idempotency_key_reused',
          'The idempotency key was used for another event type, payload, ordering key, former state or targets.',
        ),
      );
    case 'WEBHOOK_NOT_ACTIVE': // only a test is for one webhook
      return new ApiError(
        'webhook_inactive',
        'An inactive webhook cannot be tested. Enable it with updateWebhook(input: {active: true, held: KEEP}), ' +
          'test it, and then send the held deliveries with releaseHeld.',
      );
    case 'TARGETS_MALFORMED':
    case 'PATH_MALFORMED':
    case 'WEBHOOK_UNKNOWN':
    case 'WEBHOOK_INACTIVE':
    case 'NOT_SUBSCRIBED':
    case 'TARGET_TWICE':
    case 'PATH_MISSING':
    case 'PATH_NOT_TAKEN':
      return invalidInput([{ ...targetIssue(detail ?? '', path), code: reason.toLowerCase() }]);
    // The registry was read seconds ago: the type was changed since.
    case 'EVENT_TYPE_UNKNOWN':
      return badType('event_type_unknown', NO_SUCH_TYPE);
    case 'EVENT_TYPE_RESERVED':
      return badType('event_type_reserved', 'Only the service itself emits events of this type.');
    case 'EVENT_TYPE_DEPRECATED':
      return badType('event_type_deprecated', 'The event type is deprecated.');
    default:
      // A newer version may have migrated the database.
      throw new Error(`Postgres refused an event for a reason unknown to this version: ${reason satisfies never}`);
  }
}
