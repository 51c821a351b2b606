import { Migration } from '@mikro-orm/migrations';
import { functionFiles, install } from './sql-files.js';

/** Condition of a trigger: changes are wanted. It runs no query. */
const LIVE = "pg_sequence_last_value('hookwright.changes_wanted_until') > extract(epoch from clock_timestamp())";

/** The SQL functions, and the triggers that call them. */
export class Functions extends Migration {
  override up(): void {
    this.addSql(`
      -- A function has its newest text here, which may name a table that only a later migration makes.
      set local check_function_bodies = off;
      ${install(functionFiles)}

      create trigger count_version before insert or update on hookwright.event_types
        for each row execute function hookwright.count_event_type_version();
      create trigger keep_version after insert or update on hookwright.event_types
        for each row execute function hookwright.keep_event_type_version();
    `);
    // Live updates (docs/decisions/0014). With triggers, no statement can forget to announce its change.
    for (const table of ['deliveries', 'webhooks']) {
      for (const change of ['insert', 'update']) {
        this.addSql(`
          create trigger note_${change} after ${change} on hookwright.${table} referencing new table as changed
            for each statement when (${LIVE}) execute function hookwright.note_changes();
        `);
      }
    }
  }
}
