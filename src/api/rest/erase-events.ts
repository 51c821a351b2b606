import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readId } from '../../domain/ids/global-id.js';
import { notFound } from '../../errors.js';
import { ANOTHER_ID } from '../graphql/fields/ids.js';
import { readJson } from '../http/json-body.js';
import { bulkErasure, erasure } from './erasure.js';
import type { Operations } from './operations.js';
import { bodyOf, hasNoParameters, type WithId } from './webhook-requests.js';

/** Erasure of one event, and of all that meet a filter, for programs of the tenant. */
export async function erasureRoutes(app: FastifyInstance, operations: Operations): Promise<void> {
  readJson(app);

  const onErase = [operations.eraseEvent.authorise, hasNoParameters, isOfEvent];
  app.post<WithId>('/events/:id/erase', { onRequest: onErase }, async (request) => {
    const input = { id: request.params.id, ...bodyOf(request, erasure) };
    const { event, scheduledEvent } = (await operations.eraseEvent(request, { input })).eraseEvent;
    return { data: event ?? scheduledEvent };
  });

  const onEraseAll = [operations.eraseEvents.authorise, hasNoParameters];
  app.post('/events/erase', { onRequest: onEraseAll }, async (request) => {
    const { filter, dry_run, confirm, reason } = bodyOf(request, bulkErasure);
    const { events, ...others } = filter;
    const input = { filter: { eventTypes: events, ...others }, dryRun: dry_run, confirm, reason };
    return { data: (await operations.eraseEvents(request, { input })).eraseEvents };
  });
}

/** Elsewhere an id of another type is a mistake in the input: here the path leads nowhere. */
async function isOfEvent({ params }: FastifyRequest): Promise<void> {
  const { id } = params as WithId['Params'];
  if (![readId('Event', id), readId('ScheduledEvent', id)].some((read) => typeof read === 'number')) {
    throw notFound('event', ANOTHER_ID);
  }
}
