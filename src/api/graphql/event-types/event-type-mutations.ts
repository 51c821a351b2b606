import 'reflect-metadata';
import { Ctx, Field, FieldResolver, InputType, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import { isDeeperThan } from '../../../domain/events/payload.js';
import { ConverterStepInput, converterRule } from '../../../entities/converter.js';
import { EventType } from '../../../entities/event-type.js';
import { Nullable } from '../../../entities/nullable.js';
import { JSONObject } from '../../../entities/scalars.js';
import { type InputIssue, invalidInput, refusedInput } from '../../../errors.js';
import { AFFECTED_SHAPES_MAX, affectedShapes } from '../../../operations/event-types/affected-shapes.js';
import type { RegisteredEventType } from '../../../operations/event-types/event-type-registry.js';
import {
  deprecateEventType,
  hideEventType,
  registerEventType,
  updateEventType,
} from '../../../operations/event-types/register-event-type.js';
import { impactMsAfter, schemaImpact } from '../../../operations/event-types/schema-impact.js';
import { schemaIssues } from '../../../platform/payload-checks/schema-issues.js';
import { actorOf, type Context } from '../../context/context.js';
import { InputArg } from '../fields/arguments.js';
import { IMPACT_COST, mayHold } from '../fields/costs.js';
import { eventTypeDescription, newEventTypeName, parseInput } from '../fields/input.js';
import { NullableResolver } from '../fields/nullable.js';
import { RequiresScope } from '../fields/requires.js';
import { AffectedShape } from './affected-shape.js';
import { ConverterProof } from './converter-proof.js';
import { findEventType } from './event-type.js';
import { provedConverter } from './proved-converter.js';
import { SchemaImpact } from './schema-impact.js';

const SCHEMA_DEPTH_MAX = 64;
const SCHEMA_BYTES_MAX = 65_536;
const schemaRules =
  'A JSON Schema (2020-12) of type object, at most 64 KiB and 64 levels, without recursion and external references.';

@InputType({ description: 'The event type to register for all tenants.' })
class RegisterEventTypeInput {
  @Field(() => String, {
    description:
      'The name, such as `order.paid`: 2 or more parts of a-z, 0-9 and _, separated by dots, at most 128 characters. It cannot be changed.',
  })
  name!: string;

  @Field(() => String, { description: 'When events of this type are fired. 1 to 1,000 characters.' })
  description!: string;

  @Field(() => JSONObject, { description: `The schema of the payload. ${schemaRules}` })
  schema!: Record<string, unknown>;
}

@InputType({ description: 'Changes of an event type. Fields that are left out stay.' })
class UpdateEventTypeInput {
  @Field(() => String, { description: 'The name of the event type.' })
  name!: string;

  @Nullable(() => String, 'A new description of 1 to 1,000 characters.')
  description?: string | null;

  @Nullable(
    () => JSONObject,
    `A new schema, which becomes a new version. The schemas of built-in types cannot be changed. ${schemaRules}`,
  )
  schema?: Record<string, unknown> | null;

  @Nullable(
    () => [ConverterStepInput],
    `The steps by which a payload of the new schema becomes one of the present one, for endpoints that are pinned to a release. It must fit the sample and the events of the last day that the new schema accepts, and never changes. ${converterRule}`,
  )
  converter?: ConverterStepInput[] | null;

  @Nullable(
    () => Boolean,
    'True to change nothing, and to learn what the new schema would break (`impact`). What is wrong with the change is refused as ever.',
    { defaultValue: false },
  )
  dryRun?: boolean | null;
}

@InputType({ description: 'The event type to deprecate.' })
class DeprecateEventTypeInput {
  @Field(() => String, { description: 'The name of the event type.' })
  name!: string;

  @Nullable(() => Boolean, 'False to accept events of this type again.', { defaultValue: true })
  deprecated?: boolean | null;
}

@InputType({ description: 'The event type to hide.' })
class HideEventTypeInput {
  @Field(() => String, { description: 'The name of the event type.' })
  name!: string;

  @Nullable(() => Boolean, 'False to list the type again.', { defaultValue: true })
  hidden?: boolean | null;
}

@ObjectType()
abstract class EventTypePayload {
  @Field(() => EventType, { description: 'The event type. Every process uses it within 5 seconds.' })
  eventType!: RegisteredEventType;
}

@ObjectType({ description: 'The new event type.' })
class RegisterEventTypePayload extends EventTypePayload {}

@ObjectType({ description: 'The changed event type; as it was, after a dry run.' })
class UpdateEventTypePayload extends EventTypePayload {
  /** The schema of the input. */
  schema!: Record<string, unknown> | null;
  /** Whether there is a converter in it. */
  converts!: boolean;
  /** In ms, for what the schema breaks. */
  timeLeft!: number;
  dryRun!: boolean;

  @Nullable(() => ConverterProof, 'What the converter made of payloads. Null without one.')
  proof!: ConverterProof | null;
}

@ObjectType({ description: 'The event type after the change.' })
class DeprecateEventTypePayload extends EventTypePayload {}

@ObjectType({ description: 'The event type after the change.' })
class HideEventTypePayload extends EventTypePayload {}

@Resolver()
export class EventTypeMutations {
  @RequiresScope('platform:admin')
  @Mutation(() => RegisterEventTypePayload, {
    description: 'Registers an event type. Webhooks with `*` are subscribed at once. For platform keys only.',
  })
  async registerEventType(
    @InputArg(() => RegisterEventTypeInput) input: RegisterEventTypeInput,
    @Ctx() context: Context,
  ): Promise<RegisterEventTypePayload> {
    const name = parseInput(newEventTypeName, input.name, ['input', 'name']);
    const description = parseInput(eventTypeDescription, input.description, ['input', 'description']);
    const schema = usableSchema(input.schema);
    await registerEventType(context.db, { name, description, schema }, actorOf(context));
    return changed(context, name);
  }

  @RequiresScope('platform:admin')
  @Mutation(() => UpdateEventTypePayload, {
    description: 'Changes description or schema. Accepted events stay as they are. For platform keys only.',
  })
  async updateEventType(
    @InputArg(() => UpdateEventTypeInput) input: UpdateEventTypeInput,
    @Ctx() context: Context,
  ): Promise<UpdateEventTypePayload> {
    const { name } = input;
    const path = ['input', 'description'];
    const description = parseInput(eventTypeDescription.optional(), input.description ?? undefined, path);
    const schema = input.schema ? usableSchema(input.schema) : undefined;
    if (description === undefined && schema === undefined) {
      const detail = 'must have description or schema';
      throw refusedInput([], 'nothing_to_change', detail);
    }
    const dryRun = input.dryRun ?? false;
    const startedAt = performance.now();
    const { proof, proved } = await provedConverter(context, { ...input, schema }, dryRun);
    await updateEventType(context.db, { name, description, schema, proved }, actorOf(context), { dryRun });
    const { eventType } = await changed(context, name);
    const timeLeft = impactMsAfter(performance.now() - startedAt);
    return { eventType, schema: schema ?? null, converts: proved !== undefined, timeLeft, dryRun, proof };
  }

  @RequiresScope('platform:admin')
  @Mutation(() => DeprecateEventTypePayload, {
    description: 'Refuses further events of a type, or accepts them again. For platform keys only.',
  })
  async deprecateEventType(
    @InputArg(() => DeprecateEventTypeInput) input: DeprecateEventTypeInput,
    @Ctx() context: Context,
  ): Promise<DeprecateEventTypePayload> {
    const { name } = input;
    await deprecateEventType(context.db, { name, deprecated: input.deprecated ?? true }, actorOf(context));
    return changed(context, name);
  }

  @RequiresScope('platform:admin')
  @Mutation(() => HideEventTypePayload, {
    description:
      'Leaves a type out of `eventTypes` for tenants whose webhooks do not name it, and out of the OpenAPI document while no webhook names it; or lists it again. ' +
      'It can be emitted and subscribed to as before. For platform keys only.',
  })
  async hideEventType(
    @InputArg(() => HideEventTypeInput) input: HideEventTypeInput,
    @Ctx() context: Context,
  ): Promise<HideEventTypePayload> {
    const { name } = input;
    await hideEventType(context.db, { name, hidden: input.hidden ?? true }, actorOf(context));
    return changed(context, name);
  }
}

@Resolver(() => UpdateEventTypePayload)
export class UpdateEventTypePayloadResolver {
  @mayHold(AFFECTED_SHAPES_MAX)
  @FieldResolver(() => [AffectedShape], {
    description: `Shapes that ask for fields which the new schema does not have; empty without a new schema. Endpoints that a release keeps on an older version are left out. At most ${AFFECTED_SHAPES_MAX}.`,
  })
  async affectedShapes(@Root() { eventType, schema, converts }: UpdateEventTypePayload, @Ctx() context: Context) {
    return schema === null ? [] : affectedShapes(context, eventType, { schema, converts });
  }

  @NullableResolver(
    () => SchemaImpact,
    `What the new schema, with the \`converter\` if there is one, would break, over all tenants. Null without \`dryRun\`, and where the schema stays as it is. Costs ${IMPACT_COST}.`,
    { complexity: IMPACT_COST },
  )
  async impact(@Root() payload: UpdateEventTypePayload, @Ctx() context: Context) {
    const { eventType, schema, converts, timeLeft, dryRun } = payload;
    const isTried = dryRun && schema !== null && JSON.stringify(schema) !== eventType.schema;
    return isTried ? schemaImpact(context, eventType, { schema, converts }, timeLeft) : null;
  }
}

async function changed(context: Context, name: string): Promise<{ eventType: RegisteredEventType }> {
  context.eventTypes.forget();
  return { eventType: await findEventType(context, name) };
}

/** @throws ApiError invalid_input with the path of each broken rule */
function usableSchema(schema: Record<string, unknown>): Record<string, unknown> {
  const issues = issuesOf(schema);
  if (issues.length > 0) {
    throw invalidInput(issues.map((issue) => ({ ...issue, path: ['input', 'schema', ...issue.path] })));
  }
  return schema;
}

function issuesOf(schema: Record<string, unknown>): InputIssue[] {
  if (isDeeperThan(schema, SCHEMA_DEPTH_MAX)) {
    const detail = `must not be nested deeper than ${SCHEMA_DEPTH_MAX} levels`;
    return [{ path: [], code: 'too_deep', detail }];
  }
  const bytes = Buffer.byteLength(JSON.stringify(schema), 'utf8');
  if (bytes > SCHEMA_BYTES_MAX) {
    const detail = `has ${bytes} bytes as JSON; at most ${SCHEMA_BYTES_MAX} are allowed`;
    return [{ path: [], code: 'too_big', detail }];
  }
  return schemaIssues(schema);
}
