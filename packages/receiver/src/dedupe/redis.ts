import { type Dedupe, DONE_DAYS, RUNNING_SECONDS, type StoreOptions } from './dedupe.js';

/** A client of `ioredis`, or of `redis`. Both send a command as it is, so no option can be lost on the way. */
export type RedisClient =
  | { call(command: string, ...args: string[]): Promise<unknown> }
  | { sendCommand(args: string[]): Promise<unknown> };

/** Remembers deliveries in one Redis. A replica that takes over may have missed the latest ones. */
export function redis(client: RedisClient, { source = '' }: StoreOptions = {}): Dedupe {
  const send = (command: string, ...args: string[]) =>
    'call' in client ? client.call(command, ...args) : client.sendCommand([command, ...args]);
  const keyOf = (id: string) => `hookwright:delivery:${source}:${id}`;
  return {
    async begin(id) {
      const isNew = (await send('SET', keyOf(id), 'running', 'NX', 'PX', String(RUNNING_SECONDS * 1_000))) !== null;
      // Without a value the other copy has just been forgotten: the next look begins.
      return isNew ? 'new' : (await send('GET', keyOf(id))) === 'done' ? 'done' : 'running';
    },
    async done(id) {
      await send('SET', keyOf(id), 'done', 'EX', String(DONE_DAYS * 86_400));
    },
    async forget(id) {
      await send('DEL', keyOf(id));
    },
  };
}
