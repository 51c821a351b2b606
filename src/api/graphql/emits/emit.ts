import 'reflect-metadata';
import { Ctx, Mutation, Resolver } from 'type-graphql';
import type { Emit, EmitResult } from '../../../domain/events/emit.js';
import { Event } from '../../../entities/event.js';
import { ApiError, type InputIssue, invalidInput, notFound, type Path, requireNoIssues } from '../../../errors.js';
import { actorOf, type Context, callerOf, otherTenant, otherThanHeader, tenantOf } from '../../context/context.js';
import { toApiError } from '../../context/faults.js';
import { InputArg } from '../fields/arguments.js';
import { idOrNull } from '../fields/ids.js';
import {
  idempotencyKey as idempotencyKeySchema,
  orderingKey as orderingKeySchema,
  parseInput,
} from '../fields/input.js';
import { RequiresScope } from '../fields/requires.js';
import { emitFor } from './emit-for.js';
import { refusalError, refusedAt } from './emit-refusals.js';
import {
  EmitEventInput,
  EmitEventPayload,
  type EmitEventResult,
  EmitEventsInput,
  EmitEventsPayload,
} from './emit-types.js';
import { payloadText, writtenPayload } from './payload-text.js';

@Resolver()
export class EmitResolver {
  @RequiresScope('events:emit')
  @Mutation(() => EmitEventPayload, { description: 'Accepts an event and sends it to every webhook that matches.' })
  async emitEvent(
    @InputArg(() => EmitEventInput) input: EmitEventInput,
    @Ctx() context: Context,
  ): Promise<EmitEventPayload> {
    const emit = await prepare(context, input, ['input']).catch((error: unknown) => {
      context.metrics.emits.add(1, isOurFault(error) ? 'failed' : 'refused');
      throw error;
    });
    const [result] = await emitFor(context, [emit]);
    const outcome = outcomeOf(emit, result!, ['input']);
    if (outcome instanceof ApiError) {
      throw outcome;
    }
    return outcome;
  }

  @RequiresScope('events:emit')
  @Mutation(() => EmitEventsPayload, {
    description:
      'Accepts several events in one transaction: at most 100, unless the service is set to less. A refused event does not affect the others, unless `allOrNothing` is set.',
  })
  async emitEvents(
    @InputArg(() => EmitEventsInput) { events, allOrNothing: isTogether }: EmitEventsInput,
    @Ctx() context: Context,
  ): Promise<EmitEventsPayload> {
    const { eventsPerRequestMax } = context.config.limits;
    if (events.length > eventsPerRequestMax) {
      const detail = `must have at most ${eventsPerRequestMax} events`;
      throw invalidInput([{ path: ['input', 'events'], code: 'too_big', detail }]);
    }
    const prepared = await Promise.all(
      events.map((event, index) => prepare(context, event, ['input', 'events', index]).catch(ownError)),
    ).catch((error: unknown) => {
      context.metrics.emits.add(events.length, 'failed');
      throw error;
    });
    const emits = prepared.filter((item): item is Emit => !(item instanceof ApiError));
    context.metrics.emits.add(prepared.length - emits.length, 'refused');
    const allOrNothing = isTogether ?? false;
    if (allOrNothing) {
      refuseTogether(prepared);
    }
    const written = await emitFor(context, emits, { path: ['input', 'events'], allOrNothing });
    let next = 0;
    const outcomes = prepared.map((item, index) =>
      item instanceof ApiError ? item : outcomeOf(item, written[next++]!, ['input', 'events', index]),
    );
    if (allOrNothing) {
      refuseTogether(outcomes);
    }
    return { results: outcomes.map((outcome, index) => resultOf(outcome, ['input', 'events', index])) };
  }
}

function isOurFault(error: unknown): boolean {
  const { reason } = toApiError(error);
  return reason === 'unavailable' || reason === 'internal';
}

/** @throws for an outage, which concerns the whole request */
function ownError(error: unknown): ApiError {
  if (isOurFault(error)) {
    throw error;
  }
  return toApiError(error);
}

/**
 * @throws ApiError when an item was refused: with all broken rules, or else with all refusals for the first reason
 */
function refuseTogether(items: readonly unknown[]): void {
  const errors = items.filter((item) => item instanceof ApiError);
  const first = errors.find(({ reason }) => reason === 'invalid_input') ?? errors[0];
  if (first === undefined) {
    return;
  }
  const alike = errors.filter(({ reason }) => reason === first.reason);
  const issues = alike.flatMap(({ extra }) => extra.issues ?? []);
  throw first.reason === 'invalid_input'
    ? invalidInput(issues)
    : new ApiError(first.reason, first.detail, { ...first.extra, ...(issues.length > 0 ? { issues } : {}) });
}

/** Checks one event and fixes its bytes. @throws ApiError */
async function prepare(
  context: Context,
  { event, payload, body: written, idempotencyKey, orderingKey, tenantId }: EmitEventInput,
  path: Path,
): Promise<Emit> {
  const tenant = await tenantOfEvent(context, tenantId, [...path, 'tenantId']);
  const isKeyed = typeof idempotencyKey === 'string';
  const key = isKeyed ? parseInput(idempotencyKeySchema, idempotencyKey, [...path, 'idempotencyKey']) : null;
  const ordering =
    typeof orderingKey === 'string' ? parseInput(orderingKeySchema, orderingKey, [...path, 'orderingKey']) : null;
  const { body, value, name } = givenPayload(context, payload ?? null, written ?? null, path);
  const issues = await context.eventTypes.check(event, value);
  const placeOf = ([first, ...rest]: Path) => [...path, first === 'payload' ? name : first!, ...rest];
  requireNoIssues(issues.map((issue): InputIssue => ({ ...issue, path: placeOf(issue.path) })));
  return { tenantId: tenant, eventType: event, body, idempotencyKey: key, onlyWebhookId: null, orderingKey: ordering };
}

/** The payload of an event: its text, its value, and the field that has it. @throws ApiError */
function givenPayload(
  context: Context,
  payload: Record<string, unknown> | null,
  written: string | null,
  path: Path,
): { body: string; value: object; name: string } {
  if ((payload === null) === (written === null)) {
    const detail = 'must have either payload or body, and not both';
    throw invalidInput([{ path, code: 'payload_or_body', detail }]);
  }
  if (written !== null) {
    const { body, payload: value } = writtenPayload(context, written, [...path, 'body']);
    return { body, value, name: 'body' };
  }
  return { body: payloadText(context, payload!, [...path, 'payload']), value: payload!, name: 'payload' };
}

/**
 * The tenant of an event. A platform key names it in `tenantId` or in the header. If it does both they must agree,
 * because the fields of the event are read for the tenant of the header.
 */
async function tenantOfEvent(context: Context, named: string | null | undefined, path: Path): Promise<number> {
  if (named === undefined || named === null) {
    return ownTenant(context, path);
  }
  const id = idOrNull('Tenant', named, path);
  const own = callerOf(context).tenantId;
  if (own !== null && id !== own) {
    throw refusedAt(path, otherTenant('tenantId'));
  }
  if (context.tenantId !== null && id !== context.tenantId) {
    throw otherThanHeader(context.tenantId, path);
  }
  if (id === null) {
    throw refusedAt(path, notFound('tenant', 'with such an id'));
  }
  if (own === null && (await context.authenticator.tenantExists(id))) {
    await context.platformAccess.note(id, actorOf(context));
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

function outcomeOf(emit: Emit, result: EmitResult, path: Path): EmitEventPayload | ApiError {
  if (result.refused !== null) {
    return refusalError(result.refused, emit, path);
  }
  // A duplicate has the same type, body and ordering key, so nothing is read again.
  const { eventId, deliveryCount, duplicate } = result;
  const { tenantId, eventType, body, orderingKey = null } = emit;
  const known = { tenantId, eventType, body, orderingKey, onlyWebhookId: null };
  const event = Object.assign(new Event(), { id: eventId, ...known });
  return { event, deliveryCount, duplicate };
}

function resultOf(outcome: EmitEventPayload | ApiError, item: Path): EmitEventResult {
  if (!(outcome instanceof ApiError)) {
    return { ...outcome, error: null };
  }
  const { code, reason, detail, extra } = outcome;
  const found = extra.issues ?? [{ path: item, code: reason, detail }];
  const issues = found.map((issue) => ({ ...issue, path: issue.path.map(String) }));
  const error = { code, detail, path: issues[0]!.path, issues };
  return { event: null, deliveryCount: 0, duplicate: false, error };
}
