import { afterAll, expect, test } from 'vitest';
import { REGISTERED_TYPES_MAX } from '../../src/operations/event-types/register-event-type.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';
import { lockWaits } from '../support/lock-waits.js';

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api.close());

const register = (name: string) => {
  const input = { name, description: 'An order.', schema: { type: 'object' } };
  return api.by(platform).mutate('registerEventType', input, 'eventType { name }');
};

test('of two event types that are registered at once with room for one, one is refused', async () => {
  await api.owner.query(
    `insert into hookwright.event_types (name, description, schema)
     select 'filler.n' || n, '', '{}'
     from generate_series(1, $1 - 1 - (select count(*)::integer from hookwright.event_types)) n`,
    [REGISTERED_TYPES_MAX],
  );
  const holder = await api.owner.connect();
  // Blocks inserts, so both are under way before one of them is done.
  await holder.query('begin; lock table hookwright.event_types in share mode');
  const registering = Promise.all([register('last.one'), register('last.other')]);
  try {
    await eventually(async () => (await api.owner.query(lockWaits)).rowCount === 2);
  } finally {
    await holder.query('commit');
    holder.release();
  }
  const answers = await registering;
  expect(answers.flatMap(({ errors }) => errors.map(({ extensions }) => extensions))).toEqual([
    { code: 'CONFLICT', reason: 'event_type_limit_reached' },
  ]);
  const { rows } = await api.owner.query('select count(*)::integer as types from hookwright.event_types');
  expect(rows).toEqual([{ types: REGISTERED_TYPES_MAX }]);
});
