import { afterAll, expect, test } from 'vitest';
import { REGISTERED_TYPES_MAX } from '../../src/operations/event-types/register-event-type.js';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
afterAll(() => api.close());

const register = (name: string) =>
  api.ask(
    'mutation ($input: RegisterEventTypeInput!) { registerEventType(input: $input) { eventType { name } } }',
    { input: { name, description: 'An order.', schema: { type: 'object' } } },
    platform,
  );

const waitingSql = `
  select from pg_locks l join pg_database d on d.oid = l.database
  where not l.granted and d.datname = current_database()`;

test('of two event types that are registered at once with one place left, one is refused', async () => {
  await api.owner.query(
    `insert into hookwright.event_types (name, description, schema)
     select 'filler.n' || n, '', '{}'
     from generate_series(1, $1 - 1 - (select count(*)::integer from hookwright.event_types)) n`,
    [REGISTERED_TYPES_MAX],
  );
  const holder = await api.owner.connect();
  // Nobody can insert while this is held, so both are under way before one of them is done.
  await holder.query('begin; lock table hookwright.event_types in share mode');
  const registering = Promise.all([register('last.one'), register('last.other')]);
  try {
    await eventually(async () => (await api.owner.query(waitingSql)).rowCount === 2);
  } finally {
    await holder.query('commit');
    holder.release();
  }
  const answers = await registering;
  expect(answers.map(codesOf).sort()).toEqual([[], ['CONFLICT']]);
  expect(answers.flatMap(({ errors }) => errors)).toMatchObject([
    { extensions: { reason: 'event_type_limit_reached' } },
  ]);
  const { rows } = await api.owner.query('select count(*)::integer as types from hookwright.event_types');
  expect(rows).toEqual([{ types: REGISTERED_TYPES_MAX }]);
});
