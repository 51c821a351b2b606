import 'reflect-metadata';
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { type Context, tenantOf } from '../context.js';
import { Event } from '../entities/event.js';
import { ApiError, type InputIssue, invalidInput, notFound, toApiError } from '../errors.js';
import type { Emit, EmitRefusal, EmitResult } from '../operations/emit-events.js';
import {
  EmitEventInput,
  EmitEventPayload,
  type EmitEventResult,
  EmitEventsInput,
  EmitEventsPayload,
} from './emit-types.js';
import {
  EMIT_ITEMS_MAX,
  idempotencyKey as idempotencyKeySchema,
  PAYLOAD_DEPTH_MAX,
  parseInput,
} from './input.js';
import { RequiresScope } from './requires.js';

type Path = readonly (string | number)[];

@Resolver()
export class EmitResolver {
  @RequiresScope('events:emit')
  @Mutation(() => EmitEventPayload, {
    description: 'Accepts an event and sends it to every webhook that matches.',
  })
  async emitEvent(
    @Arg('input', () => EmitEventInput, { description: 'The event.' }) input: EmitEventInput,
    @Ctx() context: Context,
  ): Promise<EmitEventPayload> {
    const emit = await prepare(context, input, ['input']);
    const [result] = await context.emitter.emit([emit]);
    return payloadOf(emit, result!, ['input']);
  }

  @RequiresScope('events:emit')
  @Mutation(() => EmitEventsPayload, {
    description:
      'Accepts up to 100 events in one transaction. Refused ones leave the others alone, unless `allOrNothing`.',
  })
  async emitEvents(
    @Arg('input', () => EmitEventsInput, { description: 'The events.' }) input: EmitEventsInput,
    @Ctx() context: Context,
  ): Promise<EmitEventsPayload> {
    const { events } = input;
    const allOrNothing = input.allOrNothing ?? false;
    if (events.length > EMIT_ITEMS_MAX) {
      const detail = `must have at most ${EMIT_ITEMS_MAX} events`;
      throw invalidInput([{ path: ['input', 'events'], code: 'too_big', detail }]);
    }
    const prepared = await Promise.all(
      events.map((event, index) => prepare(context, event, ['input', 'events', index]).catch(ownError)),
    );
    const emits = prepared.filter((item): item is Emit => !(item instanceof ApiError));
    if (allOrNothing) {
      refuseTogether(prepared);
    }
    const written = await write(context, emits, allOrNothing);
    let next = 0;
    const outcomes = prepared.map((item, index) =>
      item instanceof ApiError ? item : outcomeOf(item, written[next++]!, ['input', 'events', index]),
    );
    if (allOrNothing) {
      refuseTogether(outcomes);
    }
    return { results: outcomes.map(resultOf) };
  }
}

function write({ emitter }: Context, emits: Emit[], allOrNothing: boolean): Promise<EmitResult[]> {
  if (emits.length === 0) {
    return Promise.resolve([]);
  }
  return allOrNothing ? emitter.emitAllOrNothing(emits) : emitter.emit(emits);
}

/** An outage is the whole request's trouble, not this item's. */
function ownError(error: unknown): ApiError {
  const known = toApiError(error);
  if (known.reason === 'unavailable' || known.reason === 'internal') {
    throw error;
  }
  return known;
}

/** @throws ApiError when an item was refused: with every broken rule, or else as the first one */
function refuseTogether(items: readonly unknown[]): void {
  const errors = items.filter((item) => item instanceof ApiError);
  const issues = errors.flatMap(({ extra }) => extra.issues ?? []);
  if (issues.length > 0) {
    throw invalidInput(issues);
  }
  if (errors[0] !== undefined) {
    throw errors[0];
  }
}

/**
 * Judges one event and fixes its bytes.
 *
 * @throws ApiError for whatever is wrong with it
 */
async function prepare(
  context: Context,
  { event, payload, idempotencyKey, tenantId }: EmitEventInput,
  path: Path,
): Promise<Emit> {
  const tenant = tenantOf(context, tenantId);
  const key =
    typeof idempotencyKey === 'string'
      ? parseInput(idempotencyKeySchema, idempotencyKey, [...path, 'idempotencyKey'])
      : null;
  if (isDeeperThan(payload, PAYLOAD_DEPTH_MAX)) {
    const detail = `must not be nested deeper than ${PAYLOAD_DEPTH_MAX} levels`;
    throw invalidInput([{ path: [...path, 'payload'], code: 'too_deep', detail }]);
  }
  const body = JSON.stringify(payload);
  const bytes = Buffer.byteLength(body, 'utf8');
  const { payloadBytesMax } = context.config;
  if (bytes > payloadBytesMax) {
    const detail = `${[...path, 'payload'].join('.')}: has ${bytes} bytes as JSON; at most ${payloadBytesMax} are allowed.`;
    throw new ApiError('payload_too_large', detail);
  }
  const issues = await context.eventTypes.check(event, payload);
  if (issues.length > 0) {
    throw invalidInput(issues.map((issue): InputIssue => ({ ...issue, path: [...path, ...issue.path] })));
  }
  return { tenantId: tenant, eventType: event, body, idempotencyKey: key, onlyWebhookId: null };
}

/** Level by level, not by recursion: JSON.stringify and ajv, which recurse, run out of stack some thousand levels deep. */
export function isDeeperThan(value: unknown, levelsMax: number): boolean {
  let level = [value].filter(isNested);
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > levelsMax) {
      return true;
    }
    level = level.flatMap((nested) => Object.values(nested)).filter(isNested);
  }
  return false;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function outcomeOf(emit: Emit, result: EmitResult, path: Path): EmitEventPayload | ApiError {
  if (result.refused !== null) {
    return refusal(result.refused, emit, path);
  }
  // All that is known without asking the database again: for a duplicate, type and body are equal by definition.
  const { eventId, deliveryCount, duplicate } = result;
  const { tenantId, eventType, body } = emit;
  const event = Object.assign(new Event(), { id: eventId, tenantId, eventType, body });
  return { event, deliveryCount, duplicate };
}

function payloadOf(emit: Emit, result: EmitResult, path: Path): EmitEventPayload {
  const outcome = outcomeOf(emit, result, path);
  if (outcome instanceof ApiError) {
    throw outcome;
  }
  return outcome;
}

function resultOf(outcome: EmitEventPayload | ApiError): EmitEventResult {
  if (!(outcome instanceof ApiError)) {
    return { ...outcome, error: null };
  }
  const [issue] = outcome.extra.issues ?? [];
  const error = {
    code: outcome.code,
    detail: outcome.detail,
    path: (issue?.path ?? []).map(String),
  };
  return { event: null, deliveryCount: 0, duplicate: false, error };
}

function refusal(reason: EmitRefusal, { tenantId }: Emit, path: Path): ApiError {
  switch (reason) {
    case 'TENANT_UNKNOWN':
      return notFound('tenant', tenantId);
    case 'IDEMPOTENCY_KEY_REUSED':
      return new ApiError(
        'idempotency_key_reused',
        `${[...path, 'idempotencyKey'].join('.')}: was used for an event of another type or with another payload.`,
      );
    default:
      // The registry was read seconds ago: only a type that was removed since gets here.
      return invalidInput([
        { path: [...path, 'event'], code: 'event_type_unknown', detail: 'There is no such event type.' },
      ]);
  }
}
