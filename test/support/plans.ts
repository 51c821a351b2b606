import type pg from 'pg';
import { nodesOf, type PlanNode, sentDuring } from './statements.js';

/** A statement that was planned and run again. */
interface Done {
  text: string;
  nodes: PlanNode[];
  blocks: number;
}

/** The statements of `work`, as a connection of the API plans and runs them. @param tenantId 0: the installation */
export async function plansOf(pool: pg.Pool, tenantId: number, work: () => Promise<unknown>): Promise<Done[]> {
  const sent = await sentDuring(work);
  const done: Done[] = [];
  for (const { text, values, name } of sent.filter(
    (one) => /hookwright/.test(one.text) && !/set_config/.test(one.text),
  )) {
    const client = await pool.connect();
    try {
      done.push(await explain(client, tenantId, { text, values: values ?? [], isNamed: name !== undefined }));
    } finally {
      client.release(true);
    }
  }
  return done;
}

async function explain(
  client: pg.PoolClient,
  tenantId: number,
  { text, values, isNamed }: { text: string; values: readonly unknown[]; isNamed: boolean },
): Promise<Done> {
  await client.query(`select set_config('app.tenant', '${tenantId}', false)`);
  await client.query(`set plan_cache_mode = ${isNamed ? 'force_generic_plan' : 'force_custom_plan'}`);
  await client.query(`prepare asked as ${text}`);
  const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
  const { rows } = await client.query(`explain (analyze, buffers, timing off, format json) execute asked${given}`);
  const plan = rows[0]['QUERY PLAN'][0].Plan;
  return { text, nodes: nodesOf(plan), blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

const literal = (value: unknown): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? `'{${value.join(',')}}'`
      : value instanceof Date
        ? `'${value.toISOString()}'`
        : typeof value === 'string'
          ? `'${value}'`
          : String(value);

/** Tables that are read from their beginning to their end. */
export const scanned = ({ nodes }: Done) =>
  nodes
    .filter((node) => node['Node Type'] === 'Seq Scan' && node['Actual Loops'] !== 0)
    .map((node) => node['Relation Name']!.replace(/_\d{8}$/, ''));
