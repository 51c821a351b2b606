import type { Emit, EmitResult } from '../../../domain/events/emit.js';
import { invalidInput, type Path } from '../../../errors.js';
import { commitsOf } from '../../../platform/database/commits.js';
import { SQL_STATE, sqlStateOf } from '../../../platform/database/driver/sql-state.js';
import type { Context } from '../../context/context.js';
import { toApiError } from '../../context/faults.js';
import { withCells } from './emit-refusals.js';

/**
 * Emits events, counts them in the metrics, and hands the trace of the request on to their deliveries.
 *
 * @param options.path of the events in the request
 * @throws ApiError invalid_input when they would make too many deliveries together; any error of the emitter
 */
export async function emitFor(
  context: Context,
  emits: readonly Emit[],
  { path = ['input'], allOrNothing = false }: { path?: Path; allOrNothing?: boolean } = {},
): Promise<EmitResult[]> {
  if (emits.length === 0) {
    return [];
  }
  const { db, emitter, emitTrouble, metrics } = context;
  const span = context.span?.child('emit', 'INTERNAL', { 'hookwright.events': emits.length });
  const traceparent = span?.traceparent;
  const traced = traceparent ? emits.map((emit) => ({ ...emit, traceparent })) : emits;
  try {
    const results = await commitsOf(db.orm).run(() =>
      allOrNothing ? emitter.emitAllOrNothing(traced) : emitter.emit(traced),
    );
    count(context, results, allOrNothing);
    describeOnSpan(span, results);
    span?.end();
    return results.some(isElsewhere) ? await withCells(db, emits, results) : results;
  } catch (thrown) {
    const error = asRefusal(thrown, path);
    emitTrouble.failed(error);
    metrics.emits.add(emits.length, error === thrown ? 'failed' : 'refused');
    span?.end(toApiError(error).code);
    throw error;
  }
}

const isElsewhere = ({ refused }: EmitResult): boolean => refused === 'TENANT_ELSEWHERE';

/** The message of Postgres names the limit. */
const asRefusal = (error: unknown, path: Path): unknown =>
  sqlStateOf(error) === SQL_STATE.TOO_MANY_DELIVERIES
    ? invalidInput([{ path, code: 'too_many_deliveries', detail: (error as Error).message }])
    : error;

function count({ metrics, emitTrouble }: Context, results: readonly EmitResult[], allOrNothing: boolean): void {
  const written = results.filter((result) => result.refused === null);
  const refused = results.length - written.length;
  metrics.emits.add(refused, 'refused');
  if (allOrNothing && refused > 0) {
    return; // nothing was written
  }
  const duplicates = written.filter(({ duplicate }) => duplicate).length;
  metrics.emits.add(duplicates, 'duplicate');
  metrics.emits.add(written.length - duplicates, 'accepted');
  if (written.length > duplicates) {
    emitTrouble.succeeded();
  }
}

function describeOnSpan(span: Context['span'], results: readonly EmitResult[]): void {
  const [first] = results;
  if (span === undefined || first === undefined || first.refused !== null) {
    return;
  }
  span.set({
    'hookwright.event_id': first.eventId, // the first of several
    'hookwright.deliveries': results.reduce((sum, one) => sum + (one.refused === null ? one.deliveryCount : 0), 0),
  });
}
