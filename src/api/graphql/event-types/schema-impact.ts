import 'reflect-metadata';
import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { type BrokenPath, OPTIONS_WITH_PATHS } from '../../../domain/content/broken-paths.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { ShowsIdOf } from '../../../entities/node.js';
import { Nullable } from '../../../entities/nullable.js';
import { Tenant } from '../../../entities/tenant.js';
import { BROKEN_OPTIONS_MAX } from '../../../operations/event-types/broken-options.js';
import { EVENTS_MAX, EXAMPLES_MAX } from '../../../operations/event-types/refused-events.js';
import type { SchemaImpact as Impact } from '../../../operations/event-types/schema-impact.js';
import type { Context } from '../../context/context.js';
import { mayHold } from '../fields/costs.js';
import { RefusedEvent } from './payload-issues.js';

const OptionWithPaths = graphqlEnum('OptionWithPaths', 'An option of a webhook that names paths.', OPTIONS_WITH_PATHS);

@ObjectType({
  description: 'A path in an option of a webhook that fits the current schema of the event type, and not the new one.',
})
class BrokenOption implements BrokenPath {
  tenantId!: number;

  @ShowsIdOf('Webhook', { description: 'The id of the webhook.' })
  webhookId!: number;

  @Field(() => OptionWithPaths, { description: 'The option.' })
  option!: BrokenPath['option'];

  @Field(() => String, { description: 'The path in payloads.' })
  path!: string;

  @Field(() => String, { description: 'The kind of fault, for programs, as in `OptionWarning`.' })
  code!: BrokenPath['code'];

  @Nullable(() => [String], 'The types that the new schema has at the path. Null where it does not have the path.')
  types!: BrokenPath['types'];

  @Field(() => String, { description: 'A sentence for people.' })
  message!: string;
}

@ObjectType({
  description:
    'What another schema of an event type would break, over all tenants: events like those of late, and options of webhooks.',
})
export class SchemaImpact implements Impact {
  @Field(() => Boolean, { description: 'Whether anything breaks: an event is refused, or an option broken.' })
  breaks!: boolean;

  @Field(() => Boolean, { description: 'False when the time was over before everything was looked at.' })
  complete!: boolean;

  @Field(() => Int, {
    description: `Number of events that were looked at: the newest ${EVENTS_MAX} of the type, or fewer, with at most 16 MiB together. Tests are not among them.`,
  })
  eventsLookedAt!: number;

  @Field(() => Int, {
    description:
      'Number of these that the current schema accepts, and the new one refuses. Older ones that both refuse do not count.',
  })
  eventsRefused!: number;

  @mayHold(EXAMPLES_MAX)
  @Field(() => [RefusedEvent], {
    description: `Examples of refused events: at most ${EXAMPLES_MAX}, of different faults as far as there are.`,
  })
  refusedEvents!: RefusedEvent[];

  @Field(() => Int, { description: 'Number of webhooks that get events of the type.' })
  webhookCount!: number;

  @Field(() => Int, { description: 'Number of broken paths in options of these webhooks.' })
  brokenOptionCount!: number;

  @mayHold(BROKEN_OPTIONS_MAX)
  @Field(() => [BrokenOption], { description: `The broken paths, at most ${BROKEN_OPTIONS_MAX}.` })
  brokenOptions!: BrokenOption[];
}

@Resolver(() => BrokenOption)
export class BrokenOptionResolver {
  @FieldResolver(() => Tenant, { nullable: true, description: 'The tenant of the webhook. Null when it was deleted.' })
  tenant(@Root() { tenantId }: BrokenOption, @Ctx() context: Context): Promise<Tenant | null> {
    return context.loaders.tenantById.load(tenantId);
  }
}
