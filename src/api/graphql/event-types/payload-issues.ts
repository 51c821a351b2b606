import 'reflect-metadata';
import { Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import { cut } from '../../../domain/content/cut.js';
import { PATH_CHARS_MAX } from '../../../domain/content/filter-path.js';
import { ShowsIdOf } from '../../../entities/node.js';
import { Tenant } from '../../../entities/tenant.js';
import type { InputIssue } from '../../../errors.js';
import type { Context } from '../../context/context.js';
import { mayHold } from '../fields/costs.js';

export const ISSUES_MAX = 20;

@ObjectType({ description: 'A rule of a schema that a payload breaks.' })
export class PayloadIssue {
  @Field(() => String, {
    description: 'The path in the payload, such as `lines.0.sku`. Empty: the payload itself. Long ones are cut.',
  })
  path!: string;

  @Field(() => String, { description: 'What is wrong there: it continues the path as a sentence.' })
  detail!: string;
}

@ObjectType({ description: 'An event whose payload a schema refuses.' })
export class RefusedEvent {
  tenantId!: number;

  @ShowsIdOf('Event', { description: 'The id of the event.' })
  eventId!: number;

  /** Their paths start with `payload`. */
  issues!: InputIssue[];
}

@Resolver(() => RefusedEvent)
export class RefusedEventResolver {
  @FieldResolver(() => Tenant, { nullable: true, description: 'The tenant of the event. Null when it was deleted.' })
  tenant(@Root() { tenantId }: RefusedEvent, @Ctx() context: Context): Promise<Tenant | null> {
    return context.loaders.tenantById.load(tenantId);
  }

  @mayHold(ISSUES_MAX)
  @FieldResolver(() => [PayloadIssue], { description: `The rules that it breaks, at most ${ISSUES_MAX}.` })
  issues(@Root() { issues }: RefusedEvent): PayloadIssue[] {
    return issues.map(payloadIssue);
  }
}

export const payloadIssue = ({ path, detail }: InputIssue): PayloadIssue => ({
  path: cut(path.slice(1).join('.'), PATH_CHARS_MAX),
  detail,
});
