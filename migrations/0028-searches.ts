import { Migration } from '@mikro-orm/migrations';
import { install } from './functions/index.js';
import { writeFlowEvents } from './functions/write-flow-events.js';

/** Emits count the texts of CONTAINS, which Postgres compiles for each event. */
export class Searches extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhook_options
        add column filter_compiling integer;               -- comparisons that take as long as compiling its texts
      ${install([writeFlowEvents])}
    `);
  }
}
