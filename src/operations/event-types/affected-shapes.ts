import { missingFields } from '../../domain/content/shape/missing-fields.js';
import type { PlannedField } from '../../domain/content/shape/project.js';
import type { JsonObject } from '../../domain/schema-rules/subschemas.js';
import { piece } from '../../platform/concurrency/in-pieces.js';
import type { HasPool, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';

/** A shape that asks for fields which payloads of an event type do not have. */
interface AffectedShape {
  tenantId: number;
  webhookId: number;
  /** Paths such as `customer.email`. */
  fields: string[];
}

export const AFFECTED_SHAPES_MAX = 100;

const shapesStatement: Statement = {
  name: 'read_shapes_of_type',
  text: `select tenant_id as "tenantId", webhook_id as "webhookId", planned
         from hookwright.all_shapes, lateral (select shape -> 'plan' -> 'types' -> $1 as planned) of_type
         where planned is not null order by webhook_id`,
};

/** The first shapes of all tenants that ask for fields which a schema of the event type does not have. */
export async function affectedShapes(
  { pool }: HasPool,
  eventType: string,
  schema: JsonObject,
): Promise<AffectedShape[]> {
  type Row = Omit<AffectedShape, 'fields'> & { planned: PlannedField[] };
  const rows = await tenantQuery<Row>(pool, null, shapesStatement, [eventType]);
  const affected: AffectedShape[] = [];
  for (const { planned, ...shape } of rows) {
    const fields = await piece(null, () => missingFields(schema, planned));
    if (fields.length > 0 && affected.push({ ...shape, fields }) === AFFECTED_SHAPES_MAX) {
      break;
    }
  }
  return affected;
}
