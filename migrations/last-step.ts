/** Condition of a trigger: changes are wanted. It runs no query. */
const LIVE = "pg_sequence_last_value('hookwright.changes_wanted_until') > extract(epoch from clock_timestamp())";

/** Live updates (docs/decisions/0014). With triggers, no statement can forget to announce its change. */
const noted = ['deliveries', 'webhooks'].flatMap((table) =>
  ['insert', 'update'].map(
    (change) => `
      create or replace trigger note_${change} after ${change} on hookwright.${table} referencing new table as changed
        for each statement when (${LIVE}) execute function hookwright.note_changes()`,
  ),
);

/** Filters, contents and orders of webhooks (docs/decisions/0056). */
const flow = Object.entries({ new: 'insert', changed: 'update', gone: 'delete' }).map(
  ([name, change]) => `
      create or replace trigger note_flow_of_${name} after ${change} on hookwright.webhook_options
        referencing ${name === 'gone' ? 'old' : 'new'} table as changed
        for each statement execute function hookwright.note_flow()`,
);

/**
 * SQL statements after the functions: triggers, and changes of rows that call functions. Each may run again, and has a
 * transaction of its own, so that no two tables are locked together.
 */
export const lastStep: readonly string[] = [
  ...noted,
  ...flow,
  // Revoking a session at the command line, or by a process of 0.1.0, does the same.
  `create or replace trigger revoke_made_in after update of revoked_at on hookwright.api_keys for each row
     when (old.revoked_at is null and new.revoked_at is not null and pg_trigger_depth() = 0)
     execute function hookwright.revoke_made_in()`,
  // Entries of every process, one of a version before, too (docs/decisions/0085).
  `create or replace trigger note_entry after insert on hookwright.audit_log for each row
     execute function hookwright.note_entry()`,
  `create or replace trigger note_state before update of state on hookwright.tenant_moves for each row
     when (old.state <> new.state) execute function hookwright.note_state_of_move()`,
  // Words of before, in databases of builds from between the releases.
  `update hookwright.webhook_options set ordering_by = 'NONE' where ordering_by = 'NOTHING'`,
  `update hookwright.webhook_options set ordering_on_failure = 'CONTINUE' where ordering_on_failure = 'GO_ON'`,
];
