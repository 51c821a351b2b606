import { missingFields } from '../../domain/content/shape/missing-fields.js';
import type { PlannedField } from '../../domain/content/shape/project.js';
import { piece } from '../../platform/concurrency/in-pieces.js';
import type { Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import type { RegisteredEventType } from './event-type-registry.js';
import { type JudgedSchema, type SentChangeDeps, sentChangeOf } from './sent-change.js';

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
  text: `select s.tenant_id as "tenantId", s.webhook_id as "webhookId", planned, o.release
         from hookwright.all_shapes s, lateral (select s.shape -> 'plan' -> 'types' -> $1 as planned) of_type,
              hookwright.options_with_paths(array[s.webhook_id]) o
         where planned is not null order by s.webhook_id`,
};

/**
 * The first shapes of all tenants that ask for fields which a schema of the event type does not have. Those of
 * endpoints whose release keeps them from that schema are left out.
 *
 * @param type as it is
 */
export async function affectedShapes(
  deps: SentChangeDeps,
  type: RegisteredEventType,
  judged: JudgedSchema,
): Promise<AffectedShape[]> {
  type Row = Omit<AffectedShape, 'fields'> & { planned: PlannedField[]; release: string | null };
  const rows = await tenantQuery<Row>(deps.db.pool, null, shapesStatement, [type.name]);
  const sentChange = await sentChangeOf(deps, type, judged);
  const affected: AffectedShape[] = [];
  for (const { planned, release, ...shape } of rows) {
    if ((await sentChange(release)) === null) {
      continue;
    }
    const fields = await piece(null, () => missingFields(judged.schema, planned));
    if (fields.length > 0 && affected.push({ ...shape, fields }) === AFFECTED_SHAPES_MAX) {
      break;
    }
  }
  return affected;
}
