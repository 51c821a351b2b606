import { z } from 'zod';
import type { Emit } from '../../../domain/events/emit.js';
import { ApiError, type InputIssue, invalidInput, type Path, requireNoIssues } from '../../../errors.js';
import { keepHoursMax } from '../../../operations/emits/outbox.js';
import { piece } from '../../../platform/concurrency/in-pieces.js';
import { actorOf, type Context, callerOf, tenantOf } from '../../context/context.js';
import { noSuchTenant, otherTenant, otherThanHeader } from '../../context/other-tenant.js';
import {
  idempotencyKey as idempotencyKeySchema,
  orderingKey as orderingKeySchema,
  parseInput,
} from '../fields/input.js';
import { tenantIn } from '../fields/tenant-in.js';
import { refusedAt } from './emit-refusals.js';
import { targetsIn } from './emit-targets.js';
import type { EmitEventInput } from './emit-types.js';
import { payloadText, writtenPayload } from './payload-text.js';

/** Checks one event and fixes its bytes. @throws ApiError */
export async function prepareEmit(context: Context, input: EmitEventInput, path: Path): Promise<Emit> {
  const { eventType: named, event, payload, body: written, idempotencyKey, orderingKey, keepHours, tenantId } = input;
  const eventType = givenType(named ?? null, event ?? null, path);
  const tenant = await tenantOfEvent(context, tenantId, [...path, 'tenantId']);
  const isKeyed = typeof idempotencyKey === 'string';
  const key = isKeyed ? parseInput(idempotencyKeySchema, idempotencyKey, [...path, 'idempotencyKey']) : null;
  const ordering =
    typeof orderingKey === 'string' ? parseInput(orderingKeySchema, orderingKey, [...path, 'orderingKey']) : null;
  const limits = await context.authenticator.limitsFor(tenant, callerOf(context));
  const bytesMax = limits?.bodyBytesMax ?? null;
  const { body, value, name } = await piece(tenant, () =>
    givenPayload(context, payload ?? null, written ?? null, path, bytesMax),
  );
  const previous = hasPrevious(input) ? await piece(tenant, () => givenPrevious(context, input, path, bytesMax)) : null;
  const { issues, version: typeVersion } = await context.eventTypes.check(eventType, value, tenant);
  const fields: Record<string, string> = {
    payload: name,
    eventType: typeof named === 'string' ? 'eventType' : 'event',
  };
  const placeOf = ([first, ...rest]: Path) => [...path, fields[first!] ?? first!, ...rest];
  requireNoIssues(issues.map((issue): InputIssue => ({ ...issue, path: placeOf(issue.path) })));
  const kept =
    typeof keepHours === 'number' ? parseInput(hoursBelow(context), keepHours, [...path, 'keepHours']) : null;
  const known = { tenantId: tenant, eventType, body, idempotencyKey: key, onlyWebhookId: null };
  const to = input.to == null ? null : targetsIn(input.to, [...path, 'to']);
  return { ...known, orderingKey: ordering, keepHours: kept, typeVersion, previous, to };
}

/** @throws ApiError */
function givenType(eventType: string | null, event: string | null, path: Path): string {
  if (eventType !== null && event !== null) {
    const detail = 'cannot stand together with eventType, which replaces it';
    throw invalidInput([{ path: [...path, 'event'], code: 'contradiction', detail }]);
  }
  const given = eventType ?? event;
  if (given === null) {
    throw invalidInput([{ path: [...path, 'eventType'], code: 'required', detail: 'is required' }]);
  }
  return given;
}

const hoursBelow = ({ config }: Context) =>
  z
    .int()
    .min(1, 'must be at least 1')
    .max(keepHoursMax(config.retentionDays), `must be less than ${config.retentionDays * 24}, the retention time`);

/** The payload of an event: its text, its value, and the field that has it. @throws ApiError */
function givenPayload(
  context: Context,
  payload: Record<string, unknown> | null,
  written: string | null,
  path: Path,
  bytesMax: number | null,
): { body: string; value: object; name: string } {
  if ((payload === null) === (written === null)) {
    const detail = 'must have either payload or body, and not both';
    throw invalidInput([{ path, code: 'payload_or_body', detail }]);
  }
  if (written !== null) {
    const { body, payload: value } = writtenPayload(context, written, [...path, 'body'], bytesMax);
    return { body, value, name: 'body' };
  }
  const body = payloadText(context, payload!, [...path, 'payload'], bytesMax);
  return { body, value: payload!, name: 'payload' };
}

type Previous = Pick<EmitEventInput, 'previous' | 'previousBody'>;

const hasPrevious = ({ previous, previousBody }: Previous): boolean => previous != null || previousBody != null;

/** The text of the state before the change. @throws ApiError */
function givenPrevious(
  context: Context,
  { previous = null, previousBody = null }: Previous,
  path: Path,
  bytesMax: number | null,
): string {
  const at = [...path, previousBody === null ? 'previous' : 'previousBody'];
  if (previous !== null && previousBody !== null) {
    const detail = 'cannot stand together with previous';
    throw invalidInput([{ path: at, code: 'contradiction', detail }]);
  }
  if (context.config.previous === 'off') {
    const detail = 'is refused: the operator keeps no former states (PREVIOUS=off)';
    throw invalidInput([{ path: at, code: 'previous_off', detail }]);
  }
  return previousBody === null
    ? payloadText(context, previous!, at, bytesMax)
    : writtenPayload(context, previousBody, at, bytesMax).body;
}

/**
 * The tenant of an event. A platform key names it in `tenantId` or in the header. If it does both they must agree,
 * because the fields of the event are read for the tenant of the header.
 */
async function tenantOfEvent(context: Context, named: string | null | undefined, path: Path): Promise<number> {
  if (named === undefined || named === null) {
    return ownTenant(context, path);
  }
  const id = await tenantIn(context, named, path);
  const own = callerOf(context).tenantId;
  if (own !== null && id !== own) {
    throw refusedAt(path, otherTenant('tenantId'));
  }
  if (context.tenantId !== null && id !== context.tenantId) {
    throw otherThanHeader(context.tenantId, path);
  }
  if (id === null) {
    throw refusedAt(path, noSuchTenant(named));
  }
  if (own === null && (await context.authenticator.tenantExists(id))) {
    await context.platformAccess.note(id, actorOf(context));
  } else if (own === null) {
    const missing = await context.authenticator.missingTenant(id);
    if (missing.reason === 'tenant_elsewhere') {
      throw refusedAt(path, missing); // where it is unknown altogether, the rest of the event is judged first
    }
  }
  return id;
}

/** @throws ApiError tenant_required */
function ownTenant(context: Context, path: Path): number {
  if (context.tenantId === null && callerOf(context).tenantId === null) {
    const detail =
      'A platform key names the tenant: in `tenantId` of each event, or in the header Hookwright-Tenant: <id>.';
    throw refusedAt(path, new ApiError('tenant_required', detail));
  }
  return tenantOf(context);
}
