import { Migration } from '@mikro-orm/migrations';

/**
 * Enabled with `held: KEEP` or `DISCARD`: what was pending still, because the pause had not been settled, counts as held
 * (docs/decisions/0021).
 */
export class OpenCountsAsHeld extends Migration {
  override up(): void {
    this.addSql(`
      alter table hookwright.webhooks add column keep_held_up_to bigint;
      comment on column hookwright.webhooks.keep_held_up_to is
        'enabled with held: KEEP, and not released since: open deliveries up to this id count as held';
      comment on column hookwright.webhooks.discard_held_up_to is
        'last enabled with held: DISCARD: deliveries up to this id that were open then are canceled';

      -- Whether a delivery that is open now was so when the id "bound" was made: nobody has asked for it or tried it since.
      -- A redelivery is due at once; what was tried last says its attempt.
      create function hookwright.open_since(
        delivery_id bigint, attempt_count integer, attempts_before integer, due_at timestamptz, bound bigint
      ) returns boolean
      language plpgsql stable as $$
      begin
        if attempt_count = attempts_before then
          return delivery_id <= bound and hookwright.id_at(due_at) <= bound;
        end if;
        return delivery_id <= bound and not exists (
          select from hookwright.attempts a
          where a.delivery_id = open_since.delivery_id and a.number = open_since.attempt_count
            and hookwright.id_at(a.started_at) > bound);
      end $$;
      revoke execute on function
        hookwright.open_since(bigint, integer, integer, timestamptz, bigint) from public;
    `);
  }
}
