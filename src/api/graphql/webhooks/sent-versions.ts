import 'reflect-metadata';
import { Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { matches } from '../../../domain/events/event-type.js';
import { ConverterStep } from '../../../entities/converter.js';
import { Webhook } from '../../../entities/webhook.js';
import { olderVersions, type OlderVersion as Row } from '../../../operations/releases/older-versions.js';
import type { Context } from '../../context/context.js';
import { mayHold } from '../fields/costs.js';
import { optionsOf } from '../fields/options-of.js';

/** The steps that are shown of one event type, and the types. */
const STEPS_SHOWN_MAX = 50;
const TYPES_SHOWN_MAX = 50;

@ObjectType({
  description: 'An event type whose payloads a webhook gets in another version than they are emitted in.',
})
class OlderVersion implements Omit<Row, 'steps'> {
  @Field(() => String, { description: 'The name of the event type.' })
  eventType!: string;

  @Field(() => Int, { description: 'The current version, in which events are emitted.' })
  newest!: number;

  @Field(() => Int, { description: 'The version that the release has.' })
  pinned!: number;

  @Field(() => Int, {
    description: 'The version that is sent: that of the release, or a newer one where a converter is missing.',
  })
  sent!: number;

  @mayHold(STEPS_SHOWN_MAX)
  @Field(() => [ConverterStep], {
    description: `The steps from the current version to the one that is sent, at most ${STEPS_SHOWN_MAX}.`,
  })
  steps!: ConverterStep[];
}

@Resolver(() => Webhook)
export class SentVersionsResolver {
  @mayHold(TYPES_SHOWN_MAX)
  @FieldResolver(() => [OlderVersion], {
    complexity: 100,
    description: `The event types of the webhook that have changed since its release, at most ${TYPES_SHOWN_MAX}. Empty without a release. Costs 100.`,
  })
  async olderVersions(@Root() webhook: Webhook, @Ctx() context: Context): Promise<OlderVersion[]> {
    return (await olderVersionsOf(webhook, context)).slice(0, TYPES_SHOWN_MAX);
  }
}

/** The event types that a webhook gets, and that have another version than in its release. */
export async function olderVersionsOf(webhook: Webhook, context: Context): Promise<OlderVersion[]> {
  const { release = null } = (await optionsOf(webhook, context)) ?? {};
  const changed = release === null ? [] : await olderVersions(context.db, release);
  return changed
    .filter(({ eventType }) => matches(webhook.eventTypes, eventType))
    .map((row) => Object.assign(new OlderVersion(), row, { steps: row.steps.slice(0, STEPS_SHOWN_MAX) }));
}
