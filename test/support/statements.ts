import pg from 'pg';
import { vi } from 'vitest';

/** The texts of the statements that are sent to Postgres during `work`, without those around transactions. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const spy = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    const texts = spy.mock.calls.map(([query]) => (typeof query === 'string' ? query : (query as never)['text']));
    return texts.filter((text) => !/^(begin|commit|select set_config)/.test(text));
  } finally {
    spy.mockRestore();
  }
}
