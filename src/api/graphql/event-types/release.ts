import 'reflect-metadata';
import { Arg, Ctx, Field, FieldResolver, Int, ObjectType, Resolver, Root } from 'type-graphql';
import { KeyedNode, Node } from '../../../entities/node.js';
import { notFound } from '../../../errors.js';
import { listedTypes } from '../../../operations/event-types/listed-types.js';
import { REGISTERED_TYPES_MAX } from '../../../operations/event-types/register-event-type.js';
import { RELEASES_MAX, type Release as Row } from '../../../operations/releases/releases.js';
import type { Context } from '../../context/context.js';
import { mayHold } from '../fields/costs.js';
import { NullableQuery } from '../fields/nullable.js';
import { RequiresKey } from '../fields/requires.js';

@ObjectType({ description: 'The version of an event type in a release.' })
class ReleaseVersion {
  @Field(() => String, { description: 'The name of the event type.' })
  eventType!: string;

  @Field(() => Int, { description: 'The number of its schema.' })
  version!: number;
}

@KeyedNode('Release', ({ name }: Release) => name)
@ObjectType({
  implements: Node,
  description:
    'The versions that all event types had when it was created. An endpoint that is pinned to it (`content.release`) gets payloads in these versions.',
})
export class Release implements Row {
  @Field(() => String, { description: 'The name, such as `2026-11`.' })
  name!: string;

  @Field(() => Date, { description: 'When it was created.' })
  createdAt!: Date;
}

@Resolver(() => Release)
export class ReleaseResolver {
  @RequiresKey()
  @mayHold(RELEASES_MAX)
  @NullableQuery(() => [Release], 'All releases, the newest first.')
  async releases(@Ctx() { releases }: Context): Promise<Release[]> {
    return (await releases.all()).map((one) => Object.assign(new Release(), one));
  }

  @RequiresKey()
  @NullableQuery(() => Release, 'One release. Null with NOT_FOUND when it does not exist.')
  async release(
    @Arg('name', () => String, { description: 'The name, such as `2026-11`.' }) name: string,
    @Ctx() { releases }: Context,
  ): Promise<Release> {
    const found = (await releases.all()).find((one) => one.name === name);
    if (found === undefined) {
      throw notFound('release', 'of this name');
    }
    return Object.assign(new Release(), found);
  }

  @mayHold(REGISTERED_TYPES_MAX)
  @FieldResolver(() => [ReleaseVersion], {
    description:
      'The versions of event types in it, sorted by name. For a tenant, without hidden types that none of its webhooks names.',
  })
  async versions(
    @Root() { name }: Release,
    @Ctx() { db, eventTypes, loaders, tenantId }: Context,
  ): Promise<ReleaseVersion[]> {
    const versions = await loaders.versionsByRelease.load(name);
    if (tenantId === null) {
      return versions;
    }
    const listed = await listedTypes(db, await eventTypes.all(), tenantId);
    const names = new Set(listed.map((type) => type.name));
    return versions.filter(({ eventType }) => names.has(eventType));
  }
}
