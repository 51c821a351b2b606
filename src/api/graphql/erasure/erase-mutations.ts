import 'reflect-metadata';
import { Ctx, Mutation, Resolver } from 'type-graphql';
import { z } from 'zod';
import { CHANGE_OPS, type FilterOp } from '../../../domain/content/filter.js';
import { readFilter } from '../../../domain/content/read-filter.js';
import { parseGlobalId } from '../../../domain/ids/global-id.js';
import { ERASE } from '../../../domain/keys/scopes.js';
import { visibleText } from '../../../domain/text/visible-text.js';
import { ScheduledEvent } from '../../../entities/scheduled-event.js';
import { found, type InputIssue, refusedInput, requireNoIssues } from '../../../errors.js';
import { countErasure, type ErasureFilter, startErasure } from '../../../operations/bulk/start-erasure.js';
import { eraseEvent } from '../../../operations/erasure/erase-event.js';
import { FRESH } from '../../../platform/database/tenant-database.js';
import { actorOf, type Context, tenantOf } from '../../context/context.js';
import { pastIssues, rangeOf } from '../bulk/bulk-deliveries.js';
import { InputArg } from '../fields/arguments.js';
import { idOf } from '../fields/ids.js';
import { parseInput, replayedEventTypes } from '../fields/input.js';
import { requireErasingDaemons } from '../fields/older-daemons.js';
import { Requires } from '../fields/requires.js';
import {
  EraseEventInput,
  EraseEventPayload,
  type EraseEventsFilter,
  EraseEventsInput,
  EraseEventsPayload,
} from './erase-types.js';

@Resolver()
export class EraseMutations {
  @Requires(ERASE)
  @Mutation(() => EraseEventPayload, {
    description:
      'Erases one event for good: its payload, the answers to its deliveries, its ordering key and its idempotency key. Open deliveries are canceled. Ids, times, types, sizes and states stay. Nothing happens to one that is erased already.',
  })
  async eraseEvent(
    @InputArg(() => EraseEventInput) input: EraseEventInput,
    @Ctx() context: Context,
  ): Promise<EraseEventPayload> {
    const reason = parseInput(reasonRule, input.reason, ['input', 'reason']);
    const isScheduled = parseGlobalId(input.id)?.type === 'ScheduledEvent';
    const id = idOf(isScheduled ? 'ScheduledEvent' : 'Event', input.id, ['input', 'id']);
    await requireErasingDaemons(context);
    const wanted = { kind: isScheduled ? 'SCHEDULED_EVENT' : 'EVENT', id, reason } as const;
    await eraseEvent(context.db, tenantOf(context), wanted, actorOf(context));
    return {
      event: isScheduled ? null : found(await context.loaders.eventById.load(id), 'event', id),
      scheduledEvent: isScheduled ? await context.em.findOne(ScheduledEvent, { id }, FRESH) : null,
    };
  }

  @Requires(ERASE)
  @Mutation(() => EraseEventsPayload, {
    description:
      'Erases all events that meet a filter for good, as `eraseEvent` does, and scheduled ones. A dry run comes first: its number confirms the erasure, which is a bulk operation.',
  })
  async eraseEvents(
    @InputArg(() => EraseEventsInput) { filter: given, dryRun, confirm, reason }: EraseEventsInput,
    @Ctx() context: Context,
  ): Promise<EraseEventsPayload> {
    const filter = await filterIn(context, given);
    const tenantId = tenantOf(context);
    if (dryRun ?? false) {
      // Counting may take seconds, so it waits in the queue of searches.
      const counted = await context.searches.run(tenantId, () =>
        countErasure(context.db, tenantId, filter, actorOf(context)),
      );
      return { total: counted.count, totalCapped: counted.isCapped, bulkOperation: null };
    }
    if (confirm == null) {
      throw refusedInput(['confirm'], 'required', 'is required: the `total` of a dry run of this filter');
    }
    const why = parseInput(reasonRule, reason ?? '', ['input', 'reason']);
    await requireErasingDaemons(context);
    const started = { filter, confirm, reason: why };
    const bulkOperation = await startErasure(context.db, context.vault, tenantId, started, actorOf(context));
    return { total: bulkOperation.total, totalCapped: false, bulkOperation };
  }
}

const REASON_CHARS_MAX = 500;
const reasonRule = z
  .string()
  .overwrite(visibleText)
  .trim()
  .min(1, 'must say why')
  .max(REASON_CHARS_MAX, `must have at most ${REASON_CHARS_MAX} characters`)
  .regex(/^[^\0\p{Cs}]*$/u, 'must not contain the character NUL, nor halves of characters');

/** @throws ApiError invalid_input */
async function filterIn(context: Context, filter: EraseEventsFilter): Promise<ErasureFilter> {
  const path = ['input', 'filter'];
  const { eventTypes = null, field = null, since, until } = filter;
  const issues = pastIssues(context, filter, path);
  if ([eventTypes, field, since, until].every((one) => one == null)) {
    issues.push({ path, code: 'nothing_chosen', detail: 'must have at least one condition' });
  }
  const read = field === null ? null : readFilter({ field });
  if (read !== null && 'problems' in read) {
    issues.push(...read.problems.map((problem): InputIssue => ({ ...problem, path: [...path, ...problem.path] })));
  }
  if (field !== null && CHANGE_OPS.includes(field?.op as FilterOp)) {
    const at = [...path, 'field', 'op'];
    issues.push({ path: at, code: 'filter_change_place', detail: `cannot be ${field!.op} for an erasure` });
  }
  requireNoIssues(issues);
  const names = await context.eventTypes.names();
  const types = parseInput(replayedEventTypes(names).nullish(), eventTypes, [...path, 'eventTypes']);
  const condition = read !== null && 'filter' in read ? (read.filter.field ?? null) : null;
  return { eventTypes: types ?? null, field: condition, ...rangeOf(filter) };
}
