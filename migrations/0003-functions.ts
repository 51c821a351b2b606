import { Migration } from '@mikro-orm/migrations';
import { functions } from './functions/index.js';

/** Whether changes are wanted, at the price of no query. */
const LIVE = "pg_sequence_last_value('hookwright.changes_wanted_until') > extract(epoch from clock_timestamp())";

/** The SQL functions, and the triggers that call them. */
export class Functions extends Migration {
  override up(): void {
    this.addSql(`
      -- A function has its newest text here, which may name what only a later migration makes.
      set local check_function_bodies = off;
      ${functions.join('\n')}

      create trigger count_version before insert or update on hookwright.event_types
        for each row execute function hookwright.count_event_type_version();
      create trigger keep_version after insert or update on hookwright.event_types
        for each row execute function hookwright.keep_event_type_version();

      -- Live updates. Triggers, and not the statements that change the rows: a change that somebody forgot to announce
      -- would be seen by nobody, in production as in tests (docs/decisions/0014).
      create trigger note_new after insert on hookwright.deliveries referencing new table as changed
        for each statement when (${LIVE}) execute function hookwright.note_changed_deliveries();
      create trigger note_changed after update on hookwright.deliveries referencing new table as changed
        for each statement when (${LIVE}) execute function hookwright.note_changed_deliveries();
      create trigger note_new after insert on hookwright.webhooks referencing new table as changed
        for each statement when (${LIVE}) execute function hookwright.note_changed_webhooks();
      create trigger note_changed after update on hookwright.webhooks referencing new table as changed
        for each statement when (${LIVE}) execute function hookwright.note_changed_webhooks();
    `);
  }
}
