import 'reflect-metadata';
import { Arg, Ctx, Resolver } from 'type-graphql';
import { WILDCARD } from '../../../domain/events/event-type.js';
import { EVENT_TYPES_MAX } from '../../../domain/fields/webhook-fields.js';
import { listedTypes } from '../../../operations/event-types/listed-types.js';
import { eventTypeNames } from '../../../operations/fields/kind-rules.js';
import { piece } from '../../../platform/concurrency/in-pieces.js';
import { printShapeSchema } from '../../../platform/shapes/read-shape.js';
import type { Context } from '../../context/context.js';
import { PAYLOAD_COST } from '../fields/costs.js';
import { parseInput } from '../fields/input.js';
import { knownReleaseIn } from '../fields/known-event-type.js';
import { NullableQuery } from '../fields/nullable.js';
import { RequiresKey } from '../fields/requires.js';

@Resolver()
export class EventSchemaResolver {
  @RequiresKey()
  @NullableQuery(
    () => String,
    `The schema that shapes for events of these types are written with, in GraphQL's schema language. Costs ${PAYLOAD_COST}.`,
    { complexity: PAYLOAD_COST },
  )
  async eventSchema(
    @Arg('types', () => [String], {
      description: `1 to ${EVENT_TYPES_MAX} different names of event types, or \`["*"]\` for all that \`eventTypes\` lists.`,
    })
    names: string[],
    @Arg('release', () => String, {
      nullable: true,
      description: 'The release of an endpoint: the types have the versions that it is sent. Default: the newest ones.',
    })
    release: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<string> {
    const { db, eventTypes, tenantId, budget } = context;
    parseInput(eventTypeNames(await eventTypes.names()), names, ['types']);
    const pinned = await knownReleaseIn(context, release, ['release']);
    const all = await context.releases.sentSchemas.of(pinned, await eventTypes.all());
    const listed = tenantId === null ? all : await listedTypes(db, all, tenantId);
    const wanted = names.includes(WILDCARD) ? listed.map(({ name }) => name) : names;
    return budget.spend(await piece(tenantId, () => printShapeSchema(wanted, all)));
  }
}
