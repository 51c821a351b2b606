import pg from 'pg';

/** How many connections the pool had made before this one. */
const AGE = Symbol('age');

interface Idle {
  client: pg.PoolClient & { [AGE]?: number };
}

const ageOf = ({ client }: Idle) => client[AGE] ?? 0;

/** The pool takes the next connection from the end: there is the oldest one. */
class OldestLast extends Array<Idle> {
  static override readonly [Symbol.species] = Array;

  override push(idle: Idle): number {
    const age = ageOf(idle);
    let at = this.length;
    for (; at > 0 && ageOf(this[at - 1]!) < age; at--) {
      this[at] = this[at - 1]!;
    }
    this[at] = idle;
    return this.length;
  }
}

/**
 * A pool that uses a connection only while all older ones are busy. The driver's takes the one that was given back
 * last: at 100 events a second four sessions took turns, and each met cold caches, its own and the processor's.
 */
export class WarmPool extends pg.Pool {
  #made = 0;

  constructor(options: pg.PoolConfig) {
    super(options);
    (this as unknown as { _idle: Idle[] })._idle = new OldestLast();
    this.on('connect', (client: Idle['client']) => {
      client[AGE] = this.#made++;
    });
  }
}
