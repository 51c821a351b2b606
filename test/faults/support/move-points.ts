import { eventually } from '../../support/eventually.js';
import { jobInHand } from '../../support/jobs.js';
import { Hold } from './mover.js';
import type { MovingSite } from './moving-site.js';

/** What keeps a mover where it shall be killed. */
type Hinder = (site: MovingSite) => Promise<{ reached(): Promise<unknown>; letGo(): Promise<void> }>;

const nothing = async () => {};

/** Whether a session of the mover waits for a lock. */
const waits = (site: MovingSite, cell: 0 | 1) => () =>
  eventually(async () => {
    const [row] = await site.two.cells[cell].rows<{ waits: boolean }>(`
      select exists (select from pg_stat_activity where application_name = 'hookwright mover'
        and datname = current_database() and wait_event_type = 'Lock') as waits`);
    return row!.waits;
  }, 60_000);

/** Locks a table of the target that the mover writes. */
const lockedTable =
  (table: string): Hinder =>
  async (site) => {
    const hold = await Hold.of(site.two.cells[1].url, `lock table hookwright.${table} in share mode`);
    return { reached: waits(site, 1), letGo: () => hold.release() };
  };

/** Keeps the commit of the target waiting, as a synchronous standby does: nobody sees it, and it may come. */
export const heldCommit: Hinder = async (site) => {
  const target = site.two.cells[1];
  await target.rows(`
    create or replace function public.wait_at_commit() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(4711); return null; end $$;
    create constraint trigger wait_at_commit after insert on hookwright.tenant_moves deferrable initially deferred
      for each row when (new.state = 'OPEN') execute function public.wait_at_commit()`);
  const hold = await Hold.of(target.url, 'select pg_advisory_xact_lock(4711)');
  return {
    reached: async () => {
      await site.reaches('COMMITTING');
      await waits(site, 1)();
    },
    letGo: () => hold.release(),
  };
};

export const POINTS: Readonly<Record<string, Hinder>> = {
  'while it copies days': lockedTable('events'),
  'while it drains': async (site) => {
    const letGo = await jobInHand(site.two.cells[0], site.tenantId);
    return { reached: () => site.reaches('DRAINING'), letGo };
  },
  'while the tenant is closed': async (site) => ({ reached: () => site.reaches('CLOSED'), letGo: nothing }),
  'while it writes the rest': lockedTable('signing_keys'),
  'while the target commits': heldCommit,
  'when the target has it': async (site) => ({ reached: () => site.reaches('OPEN'), letGo: nothing }),
};
