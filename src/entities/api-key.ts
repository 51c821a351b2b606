import { Entity, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, ObjectType } from 'type-graphql';
import { idColumn, nullableTimeColumn, tenantFilter, timeColumn } from './columns.js';
import { Node, NumberedNode } from './node.js';

@Entity({ schema: 'hookwright', tableName: 'api_keys' })
@Filter(tenantFilter())
@NumberedNode('ApiKey', 'Its number, which also stands in the key itself.')
@ObjectType({
  implements: Node,
  description:
    'A credential of the API. The key itself is shown once, when it is made; only its hash is stored.',
})
export class ApiKey {
  @PrimaryKey(idColumn())
  id!: number;

  /** Null for a platform key. */
  @Property({ ...idColumn(), nullable: true })
  tenantId!: number | null;

  @Property({ type: 'text' })
  @Field(() => String, { description: 'What the key is for, in the words of whoever made it.' })
  name!: string;

  @Property({ type: 'blob', hidden: true, lazy: true })
  hash!: Buffer;

  @Property({ type: 'string[]', columnType: 'text[]' })
  @Field(() => [String], { description: 'What the key may do, such as `webhooks:read` or `events:emit`.' })
  scopes!: string[];

  @Property(timeColumn())
  @Field(() => Date, { description: 'When it was made.' })
  createdAt!: Date;

  @Property(nullableTimeColumn())
  @Field(() => Date, { nullable: true, description: 'When it expires; null when it does not.' })
  expiresAt!: Date | null;

  @Property(nullableTimeColumn())
  @Field(() => Date, { nullable: true, description: 'When it was revoked; null when it was not.' })
  revokedAt!: Date | null;

  @Property(nullableTimeColumn())
  @Field(() => Date, {
    nullable: true,
    description: 'When it was last used, to the minute; null when it never was.',
  })
  lastUsedAt!: Date | null;
}
