import { Migration } from '@mikro-orm/migrations';

/** The edition of the functions that are installed (docs/decisions/0071). */
export class Edition extends Migration {
  override up(): void {
    this.addSql(`
      create table hookwright.edition (
        only_row boolean primary key default true check (only_row),
        number integer not null,                          -- raised with each change of a function
        functions text not null,                          -- SHA-256 of their texts
        last_step text                                    -- the same of the last step that was finished
      );
      grant select on hookwright.edition to hookwright_api;
    `);
  }
}
