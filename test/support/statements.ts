import pg from 'pg';
import { inject, vi } from 'vitest';

/** Whether a connection makes and drops the databases of tests. It works beside them. */
export const makesDatabases = ({ database }: pg.Client): boolean =>
  database === new URL(inject('testPostgres').url).pathname.slice(1);

/** The statements that are sent to Postgres during `work`, without those that make a database for the next test. */
export async function sentDuring(work: () => Promise<unknown>): Promise<pg.QueryConfig[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    const { calls, contexts } = spy.mock;
    const ours = (calls as unknown[][]).filter((_, index) => !makesDatabases(contexts[index] as pg.Client));
    return ours.map(([query, values]) =>
      typeof query === 'string'
        ? { text: query, values: Array.isArray(values) ? values : [] }
        : (query as pg.QueryConfig),
    );
  } finally {
    spy.mockRestore();
  }
}

/** The texts of the statements that are sent during `work`, without those around transactions. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const texts = (await sentDuring(work)).map(({ text }) => text);
  return texts.filter((text) => !/^(begin|commit|savepoint|rollback to savepoint|select set_config)/.test(text));
}

/** The texts of the prepared statements that are sent during `work`, by name. */
export async function preparedDuring(work: () => Promise<unknown>): Promise<Map<string, string>> {
  const sent = await sentDuring(work);
  return new Map(sent.flatMap(({ name, text }) => (name === undefined ? [] : [[name, text] as const])));
}

/** A node of `explain (format json)`. */
export interface PlanNode {
  'Node Type': string;
  'Subplan Name'?: string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Loops'?: number;
  Plans?: PlanNode[];
}

/** @returns a node of a plan with all below it */
export const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];

/** @param values SQL @returns the nodes of the plan that a session has for a statement once it is prepared */
export async function preparedPlan(client: pg.Client, name: string, text: string, values: string): Promise<PlanNode[]> {
  await client.query(`prepare ${name} as ${text}`);
  const { rows } = await client.query(`explain (format json) execute ${name} (${values})`);
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
}
