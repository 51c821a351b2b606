import { type Dictionary, OptionalProps } from '@mikro-orm/core';
import { Entity, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { ObjectType } from 'type-graphql';
import type { NewValuesOf, RowOf } from '../domain/fields/field.js';
import { tenantFields } from '../domain/fields/tenant-fields.js';
import { idColumn, nullableTimeColumn, shown } from './columns.js';
import { Node, NumberedNode } from './node.js';
import { Stored } from './stored.js';

/** The fields of a tenant that people write, besides its name. */
export type TenantSettings = RowOf<typeof tenantFields>;
export type NewTenantSettings = NewValuesOf<typeof tenantFields>;

/** @Stored makes these properties. */
export interface Tenant extends TenantSettings {}

@Entity({ schema: 'hookwright', tableName: 'tenants' })
@Filter({ name: 'tenant', cond: (args: Dictionary) => ({ id: args['tenantId'] }), default: true })
@NumberedNode('Tenant', 'The number of the tenant, for the command line and the outbox.')
@ObjectType({
  implements: Node,
  description: 'A customer of this installation. Webhooks, events and keys belong to exactly one tenant.',
})
@Stored(tenantFields)
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the interface has what @Stored makes.
export class Tenant {
  [OptionalProps]?: 'createdAt' | 'limitedSince' | 'limitedBy' | 'moving';

  @PrimaryKey(idColumn())
  id!: number;

  @shown.text('The name, unique in this installation.')
  name!: string;

  /** Encrypts the tenant's webhook secrets. Is itself wrapped by the encryption key `dataKeyKid`. */
  @Property({ type: 'blob', hidden: true, lazy: true })
  dataKey!: Buffer;

  @Property({ type: 'text', hidden: true })
  dataKeyKid!: string;

  @shown.creationTime('When the tenant was created.')
  createdAt!: Date;

  @shown.nullableTime('Since when these limits hold. Null when the tenant has none.')
  limitedSince!: Date | null;

  /** The platform key that has set them; null for the command line. */
  @Property({ ...idColumn(), nullable: true, hidden: true })
  limitedBy!: number | null;

  @Property({ ...nullableTimeColumn(), hidden: true })
  deletedAt!: Date | null;

  /** DRAINING, CLOSED, or GONE to another cell (docs/decisions/0099). Null: it lives here. */
  @Property({ type: 'text', nullable: true, hidden: true })
  moving!: string | null;
}
