import { Migration } from '@mikro-orm/migrations';

/** A row of failures lasts at least for a while before it disables: its attempts have growing pauses. */
export class RowsOfFailures extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhooks add failing_since timestamptz, add next_look_at timestamptz;
      comment on column hookwright.webhooks.failing_since is
        'when the row of failures began that consecutive_failures counts; null: there is none';
      comment on column hookwright.webhooks.next_look_at is
        'nothing is sent before this time, because the last attempts have failed; null: at once';
      update hookwright.webhooks set failing_since = last_failure_at where consecutive_failures > 0;

      -- As enqueue_new_deliveries, with jobs up to a priority number locked by a worker pool, as graphile-worker's fetch
      -- locks them, if they are of at most claim_max deliveries. Nobody is told of those; the answer is what the pool
      -- needs to make the attempts, or null:
      --   jobs        [id, payload, priority], ...
      --   deliveries  [id, index of the item, webhook's id], ...
      --   webhooks    [id, url, secret, generation, consecutive failures], ...
      -- Secrets are sealed, in base64. Webhooks to which nothing may be sent now are missing, and so are those with a
      -- previous secret: whether it still signs is asked when a delivery is loaded.
      create or replace function hookwright.claim_new_deliveries(
        delivery_ids bigint[], job_groups bigint[], priorities integer[], items integer[], webhook_ids bigint[],
        worker_pool text, claim_priority integer, claim_max integer
      ) returns json
      language plpgsql as $$
      declare
        single_task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver');
        group_task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver-group');
        claimable integer := (select count(*) from unnest(priorities) p where p <= claim_priority);
        claimed json;
      begin
        if claimable not between 1 and claim_max or single_task is null or group_task is null then
          perform hookwright.enqueue_new_deliveries(delivery_ids, job_groups, priorities);
          return null;
        end if;
        with added as (
          insert into hookwright_jobs._private_jobs
            (task_id, payload, max_attempts, key, priority, attempts, locked_by, locked_at)
          select case when job_group is null then single_task else group_task end,
                 case when job_group is null then json_build_object('id', min(id), 'attempt', 1)
                      else json_build_object('group', job_group, 'ids', json_agg(id order by id)) end,
                 25, coalesce('g:' || job_group, 'd:' || min(id)), min(priority), (min(priority) <= claim_priority)::integer,
                 case when min(priority) <= claim_priority then worker_pool end,
                 case when min(priority) <= claim_priority then now() end
          from unnest(delivery_ids, job_groups, priorities) as due(id, job_group, priority)
          group by job_group, case when job_group is null then id end
          returning id, payload, priority
        )
        select json_build_object(
          'jobs', (
            select json_agg(json_build_array(id, payload, priority)) from added where priority <= claim_priority),
          'deliveries', (
            select json_agg(json_build_array(d.id, d.item, d.webhook_id))
            from unnest(delivery_ids, items, webhook_ids, priorities) as d(id, item, webhook_id, priority)
            where priority <= claim_priority),
          'webhooks', coalesce((
            select json_agg(json_build_array(
              w.id, w.url, encode(w.sealed_secret, 'base64'), w.generation,
              w.consecutive_failures))
            from hookwright.webhooks w
            where w.id = any(webhook_ids) and w.active and w.deleted_at is null and w.previous_sealed_secret is null
              and (greatest(w.closed_until, w.next_look_at) > now()) is not true), '[]'))
        into claimed;
        if claimable < cardinality(delivery_ids) then
          perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', 1)::text);
        end if;
        return claimed;
      end $$;
    `);
  }
}
