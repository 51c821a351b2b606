import type { Statement } from '../database/database.js';
import type { ClaimedJson } from './claims.js';
import type { EmitRefusal, EmitResult } from './emit-events.js';

/** A row of each item, in their order. */
export type EmitRow = (
  | { error_code: null; event_id: number; delivery_count: number; duplicate: boolean }
  | { error_code: EmitRefusal }
) & {
  /** In the first row of an emit that claims, if it did. */
  claimed?: ClaimedJson | null;
};

export const emitStatement: Statement = {
  name: 'emit_events',
  text: `select event_id, delivery_count, duplicate, error_code
         from hookwright.emit_events($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::integer[], true)
         order by item`,
};

export const emitTracedStatement: Statement = {
  name: 'emit_traced_events',
  text: `select event_id, delivery_count, duplicate, error_code
         from hookwright.emit_traced_events($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[],
                                            $6::integer[], $7::text[])
         order by item`,
};

export const resultsOf = (rows: readonly EmitRow[]): EmitResult[] =>
  rows.map((row) =>
    row.error_code === null
      ? {
          refused: null,
          eventId: row.event_id,
          deliveryCount: row.delivery_count,
          duplicate: row.duplicate,
        }
      : { refused: row.error_code },
  );
