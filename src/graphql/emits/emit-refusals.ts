import type { Emit, EmitRefusal } from '../../domain/events/emit.js';
import { globalId } from '../../domain/ids/global-id.js';
import { ApiError, invalidInput, notFound, type Path } from '../../errors.js';

/** The same refusal with its place, which several events in one request need. */
export function refusedAt(path: Path, { reason, detail, extra }: ApiError): ApiError {
  return new ApiError(reason, detail, { ...extra, issues: [{ path, code: reason, detail }] });
}

/**
 * What the emitter refused, as the caller is told.
 *
 * @param path of the event within the request
 */
export function refusalError(reason: EmitRefusal, { tenantId }: Emit, path: Path): ApiError {
  const badType = (code: string, detail: string) => invalidInput([{ path: [...path, 'event'], code, detail }]);
  switch (reason) {
    case 'TENANT_UNKNOWN':
      return refusedAt([...path, 'tenantId'], notFound('tenant', globalId('Tenant', tenantId)));
    case 'IDEMPOTENCY_KEY_REUSED':
      return refusedAt(
        [...path, 'idempotencyKey'],
        new ApiError(
          'idempotency_key_reused',
          'The idempotency key was used for an event of another type or with another payload.',
        ),
      );
    case 'IDEMPOTENCY_KEY_BUSY':
      return refusedAt(
        [...path, 'idempotencyKey'],
        new ApiError(
          'unavailable',
          'Another transaction that has not ended yet writes an event with this idempotency key; try again.',
          { retryAfterSeconds: 2 },
        ),
      );
    case 'WEBHOOK_NOT_ACTIVE': // only a test is for one webhook
      return new ApiError(
        'webhook_inactive',
        'An inactive webhook cannot be tested. Enable it with updateWebhook(input: {active: true, held: KEEP}), ' +
          'test it, and then send what was held with releaseHeld.',
      );
    // The registry was read seconds ago: the type was changed since.
    case 'EVENT_TYPE_UNKNOWN':
      return badType('event_type_unknown', 'There is no such event type.');
    case 'EVENT_TYPE_RESERVED':
      return badType('event_type_reserved', 'Only the service itself emits events of this type.');
    case 'EVENT_TYPE_DEPRECATED':
      return badType('event_type_deprecated', 'The event type is deprecated.');
    default:
      // A newer version may have migrated the database.
      throw new Error(
        `Postgres refused an event for a reason that this version does not know: ${reason satisfies never}`,
      );
  }
}
