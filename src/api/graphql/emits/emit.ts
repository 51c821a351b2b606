import 'reflect-metadata';
import { Ctx, Mutation, Resolver } from 'type-graphql';
import type { Emit, EmitResult } from '../../../domain/events/emit.js';
import { Event } from '../../../entities/event.js';
import { ApiError, invalidInput, type Path, refusedInput } from '../../../errors.js';
import type { Context } from '../../context/context.js';
import { toApiError } from '../../context/faults.js';
import { InputArg } from '../fields/arguments.js';
import { RequiresScope } from '../fields/requires.js';
import { chargeEvents } from './charge-events.js';
import { emitFor } from './emit-for.js';
import { refusalError } from './emit-refusals.js';
import {
  EmitEventInput,
  EmitEventPayload,
  type EmitEventResult,
  EmitEventsInput,
  EmitEventsPayload,
} from './emit-types.js';
import { prepareEmit } from './prepare-emit.js';

@Resolver()
export class EmitResolver {
  @RequiresScope('events:emit')
  @Mutation(() => EmitEventPayload, { description: 'Accepts an event and sends it to every webhook that matches.' })
  async emitEvent(
    @InputArg(() => EmitEventInput) input: EmitEventInput,
    @Ctx() context: Context,
  ): Promise<EmitEventPayload> {
    await chargeEvents(context, [input]);
    const emit = await prepareEmit(context, input, ['input']).catch((error: unknown) => {
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
      throw refusedInput(['events'], 'too_big', detail);
    }
    await chargeEvents(context, events);
    const prepared = await Promise.all(
      events.map((event, index) => prepareEmit(context, event, ['input', 'events', index]).catch(ownError)),
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

function outcomeOf(emit: Emit, result: EmitResult, path: Path): EmitEventPayload | ApiError {
  if (result.refused !== null) {
    return refusalError(result, emit, path);
  }
  // A duplicate has the same of all of this, so nothing is read again.
  const { eventId, deliveryCount, duplicate } = result;
  const { tenantId, eventType, body, orderingKey = null } = emit;
  const known = { tenantId, eventType, body, orderingKey, onlyWebhookId: null };
  const targets = emit.to == null ? { targets: null } : {}; // with external ids they are not known here
  const event = Object.assign(new Event(), { id: eventId, ...known, ...targets });
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
