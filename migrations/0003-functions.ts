import { Migration } from '@mikro-orm/migrations';
import { readSql } from './read-sql.js';

/** The functions that later migrations call, and the triggers that number and keep versions of event types. */
export class Functions extends Migration {
  override up(): void {
    this.addSql(`
      ${readSql('frozen/0003-functions')}
      create trigger count_version before insert or update on hookwright.event_types
        for each row execute function hookwright.count_event_type_version();
      create trigger keep_version after insert or update on hookwright.event_types
        for each row execute function hookwright.keep_event_type_version();
    `);
  }
}
