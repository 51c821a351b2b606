import pg from 'pg';

/** Members of the driver's pool: all connections in the order of their making, and those that nobody uses. */
interface Inside {
  _clients: pg.PoolClient[];
  _idle: { client: pg.PoolClient }[];
}

/** The pool takes the next connection from the end: there is the oldest one. */
class OldestLast extends Array<Inside['_idle'][number]> {
  static override readonly [Symbol.species] = Array;

  constructor(private readonly pool: Inside) {
    super();
  }

  override push(idle: Inside['_idle'][number]): number {
    const { _clients: clients } = this.pool;
    const age = clients.indexOf(idle.client);
    const next = this.findIndex(({ client }) => clients.indexOf(client) < age);
    this.splice(next < 0 ? this.length : next, 0, idle);
    return this.length;
  }
}

/**
 * A pool that uses a connection only while all older ones are busy. The driver's takes the one that was given back
 * last: at 100 events a second four sessions took turns, and each met cold caches, its own and the processor's.
 */
export class WarmPool extends pg.Pool {
  constructor(options: pg.PoolConfig) {
    super(options);
    const inside = this as unknown as Inside;
    inside._idle = new OldestLast(inside);
  }
}
