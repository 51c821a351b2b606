import 'reflect-metadata';
import { Arg, Ctx, Field, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { isReleaseName, RELEASE_NAME_RULE } from '../../../domain/ids/release-name.js';
import { ConverterStepInput, converterRule } from '../../../entities/converter.js';
import { EventType } from '../../../entities/event-type.js';
import { Nullable } from '../../../entities/nullable.js';
import { found, refusedInput } from '../../../errors.js';
import type { RegisteredEventType } from '../../../operations/event-types/event-type-registry.js';
import { proveConverter, requireProved } from '../../../operations/event-types/prove-converter.js';
import { readVersions } from '../../../operations/event-types/read-versions.js';
import {
  addConverter,
  CONVERTER_EXISTS,
  requireOwnSchema,
} from '../../../operations/event-types/register-event-type.js';
import { createRelease } from '../../../operations/releases/releases.js';
import { actorOf, type Context } from '../../context/context.js';
import { InputArg } from '../fields/arguments.js';
import { IMPACT_COST } from '../fields/costs.js';
import { NullableQuery } from '../fields/nullable.js';
import { RequiresScope } from '../fields/requires.js';
import { ConverterProof, shownProof } from './converter-proof.js';
import { findEventType } from './event-type.js';
import { CONVERTER, converterIn } from './proved-converter.js';
import { Release } from './release.js';

@InputType({ description: 'A converter for a version of an event type that has none yet.' })
class AddConverterInput {
  @Field(() => String, { description: 'The name of the event type.' })
  name!: string;

  @Nullable(() => Int, 'The version whose payloads it converts, 2 or more. Default: the current one.')
  version?: number | null;

  @Field(() => [ConverterStepInput], { description: `The steps to the version before. ${converterRule}` })
  converter!: ConverterStepInput[];

  @Nullable(() => Boolean, 'True to change nothing, and to learn whether it fits (`proof`).', { defaultValue: false })
  dryRun?: boolean | null;
}

@ObjectType({ description: 'The event type with the converter; as it was, after a dry run.' })
class AddConverterPayload {
  @Field(() => EventType, { description: 'The event type.' })
  eventType!: RegisteredEventType;

  @Field(() => ConverterProof, { description: 'What the converter made of payloads.' })
  proof!: ConverterProof;
}

@InputType({ description: 'The release to create.' })
class CreateReleaseInput {
  @Field(() => String, { description: `The name: ${RELEASE_NAME_RULE}. It cannot be changed.` })
  name!: string;
}

@ObjectType({ description: 'The new release.' })
class CreateReleasePayload {
  @Field(() => Release, { description: 'The release. Every process knows it within 5 seconds.' })
  release!: Release;
}

@Resolver()
export class ConverterMutations {
  @RequiresScope('platform:read')
  @NullableQuery(
    () => ConverterProof,
    `Whether the converter of a version fits the events of the last day. Null when it has none. For platform keys only. Costs ${IMPACT_COST}.`,
    { complexity: IMPACT_COST },
  )
  async converterProof(
    @Arg('eventType', () => String, { description: 'The name of the event type.' }) eventType: string,
    @Arg('version', () => Int, { description: 'The number of the version.' }) version: number,
    @Ctx() context: Context,
  ): Promise<ConverterProof | null> {
    const { name } = await findEventType(context, eventType);
    const { of, before, later } = await versionsAround(context, name, version);
    const { schema, converter } = of ?? { schema: '', converter: null };
    return converter === null || before === undefined
      ? null
      : shownProof(
          await proveConverter(context, { eventType: name, converter, schema, schemaBefore: before.schema, later }),
        );
  }

  @RequiresScope('platform:admin')
  @Mutation(() => AddConverterPayload, {
    description:
      'Adds a converter to a version that came without one. It never changes, and is for events that are emitted from a minute later on. It must fit the sample and the events of the last day. For platform keys only.',
  })
  async addConverter(
    @InputArg(() => AddConverterInput) { name, version, converter: steps, dryRun }: AddConverterInput,
    @Ctx() context: Context,
  ): Promise<AddConverterPayload> {
    const type = await findEventType(context, name);
    requireOwnSchema(type, ['name']);
    const converter = converterIn(steps);
    const { of: wanted, before, later } = await versionsAround(context, type.name, version ?? type.version);
    if (wanted === undefined || before === undefined) {
      const detail =
        type.version === 1
          ? `is not there: ${type.name} has one version only, so there is nothing to convert to`
          : `must be 2 to ${type.version}: the versions that have one before them`;
      throw refusedInput(['version'], 'version_unknown', detail);
    }
    if (wanted.converter !== null) {
      throw refusedInput(['version'], 'converter_exists', CONVERTER_EXISTS);
    }
    const change = { eventType: type.name, converter, schema: wanted.schema, schemaBefore: before.schema, later };
    const proof = await proveConverter(context, change);
    if (!dryRun) {
      requireProved(proof, CONVERTER);
      await addConverter(context.db, { name: type.name, version: wanted.version, converter }, actorOf(context));
      context.eventTypes.forget();
    }
    return { eventType: await findEventType(context, name), proof: shownProof(proof) };
  }

  @RequiresScope('platform:admin')
  @Mutation(() => CreateReleasePayload, {
    description:
      'Notes the present version of each event type under a name, which endpoints can be pinned to (`content.release`). For platform keys only.',
  })
  async createRelease(
    @InputArg(() => CreateReleaseInput) { name }: CreateReleaseInput,
    @Ctx() context: Context,
  ): Promise<CreateReleasePayload> {
    if (!isReleaseName(name)) {
      throw refusedInput(['name'], 'release_name_malformed', `must be ${RELEASE_NAME_RULE}`);
    }
    await createRelease(context.db, name, actorOf(context));
    context.releases.forget();
    const release = (await context.releases.all()).find((one) => one.name === name);
    return { release: Object.assign(new Release(), found(release, 'release', name)) };
  }
}

/** A version of an event type, the one before it, and the later ones, the newest first. */
async function versionsAround({ db }: Context, eventType: string, version: number) {
  const versions = await readVersions(db, eventType);
  return {
    of: versions.find((one) => one.version === version),
    before: versions.find((one) => one.version === version - 1),
    later: versions.filter((one) => one.version > version),
  };
}
