import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RestApi } from '../support/rest-api.js';

const FULL = '53100';

describe('an API whose database cannot write', () => {
  let api: RestApi;
  let nowMs = 0;
  beforeAll(async () => {
    api = await RestApi.open({}, undefined, () => nowMs);
    await api.owner.query(`
      create function hookwright.fail() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file: No space left on device' using errcode = tg_argv[0]; end $$`);
  });
  afterAll(() => api?.[Symbol.asyncDispose]());

  const emit = async () => {
    const query = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { duplicate } }';
    const input = { event: 'coupon.applied', payload: { code: 'A', discount_type: 'fixed' } };
    return (await api.ask('POST //graphql', { json: { query, variables: { input } } })).status;
  };
  const ready = () => api.ask('GET //health/ready', { key: null });
  async function whileFailing(sqlState: string, work: () => Promise<unknown>): Promise<void> {
    await api.owner.query(
      `create trigger fail before insert on hookwright.events execute function hookwright.fail('${sqlState}')`,
    );
    try {
      await work();
    } finally {
      await api.owner.query('drop trigger fail on hookwright.events');
    }
  }

  test.each([FULL, '58030', '25006'])('(%s) is not ready, until an emit is written', async (sqlState) => {
    await whileFailing(sqlState, async () => {
      expect((await ready()).status).toBe(200);
      expect(await emit()).toBe(503);
      const { status, body } = await ready();
      expect(status).toBe(503);
      expect(body.detail).toContain('cannot write');
    });
    expect(await emit()).toBe(200);
    expect((await ready()).status).toBe(200);
  });

  test('is ready again after half a minute without an emit: the next one shows how it is', async () => {
    await whileFailing(FULL, emit);
    nowMs += 29_999;
    expect((await ready()).status).toBe(503);
    nowMs += 1;
    expect((await ready()).status).toBe(200);
  });

  test('stays ready when an emit fails for itself', async () => {
    await whileFailing('XX001', async () => {
      expect(await emit()).not.toBe(503);
      expect((await ready()).status).toBe(200);
    });
  });
});
