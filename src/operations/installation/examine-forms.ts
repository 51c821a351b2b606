import type pg from 'pg';
import { ALIVE_SECONDS } from './daemons.js';

/** The signature forms that webhooks use, and those of each daemon that is alive. */
export interface FormFacts {
  used: string[];
  daemons: {
    host: string;
    /** Digests by the names of forms; null: it is of a version that knows none. */
    forms: Readonly<Record<string, string>> | null;
  }[];
}

const FORMS_MAX = 200;

/** Reads an index once for each name, not for each webhook. */
const usedSql = `
  with recursive used(form) as (
    (select compat from hookwright.webhook_options where compat is not null order by compat limit 1)
    union all
    select (select o.compat from hookwright.webhook_options o where o.compat > used.form order by o.compat limit 1)
    from used where used.form is not null)
  select form from used where form is not null limit ${FORMS_MAX}`;

/** @throws what the database throws */
export async function examineForms(client: pg.ClientBase): Promise<FormFacts> {
  const { rows } = await client.query<FormFacts>({
    name: 'examine_forms',
    text: `select
       array(${usedSql}) as used,
       coalesce((select jsonb_agg(jsonb_build_object('host', host, 'forms', signature_forms) order by host, id)
                 from hookwright.daemons
                 where last_seen_at > now() - interval '${ALIVE_SECONDS} s'), '[]') as daemons`,
  });
  return rows[0]!;
}
