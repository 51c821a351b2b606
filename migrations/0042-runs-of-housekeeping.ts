import { Migration } from '@mikro-orm/migrations';

/**
 * That housekeeping is started says nothing of what becomes of it. What it did before is not known: an installation that
 * is upgraded is taken for one whose last run succeeded.
 */
export class RunsOfHousekeeping extends Migration {
  override up(): void {
    this.addSql(`
      create table hookwright.housekeeping (
        only_row boolean primary key default true check (only_row),
        succeeded_at timestamptz,
        failed_at timestamptz,
        error text
      );
      comment on column hookwright.housekeeping.error is 'what failed in the last run; null: it succeeded';
      insert into hookwright.housekeeping (succeeded_at)
      select max(last_execution) from hookwright_jobs._private_known_crontabs where identifier = 'housekeeping';
    `);
  }
}
