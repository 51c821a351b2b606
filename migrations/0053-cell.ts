import { Migration } from '@mikro-orm/migrations';

/** The number of this installation among the cells behind one address (docs/decisions/0097). Empty: it is none. */
export class Cell extends Migration {
  override up(): void {
    this.addSql(`
      create table hookwright.cell (
        only_row boolean primary key default true check (only_row),
        number integer not null check (number between 0 and 899),
        "of" integer not null check ("of" in (4, 8, 16)),   -- how many cells ids of events and deliveries can name
        since timestamptz not null default now()
      );
      grant select on hookwright.cell to hookwright_api;
    `);
  }
}
