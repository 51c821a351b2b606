import type { InputIssue } from '../../errors.js';
import type { Slices } from '../../platform/concurrency/slices.js';
import type { HasPool, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import { eventBodies } from '../explorer/read-bodies.js';

/** An event whose payload a schema would refuse. */
export interface RefusedEvent {
  tenantId: number;
  eventId: number;
  /** The broken rules. Paths start with `payload`. */
  issues: InputIssue[];
}

export interface RefusedEvents {
  eventsLookedAt: number;
  /** Events that could be judged. */
  eventsJudged: number;
  eventsRefused: number;
  /** The newest few, and before them one of each kind of fault. */
  refusedEvents: RefusedEvent[];
  /** Whether the search ended by itself, or at the number or the size of events that it may look at. */
  complete: boolean;
}

/** Judges a payload, and its text. Null: it has another form, so it is not judged. */
type Judge = (payload: unknown, body: string) => Promise<InputIssue[] | null>;

export const EVENTS_MAX = 1_000;
const EVENT_BYTES_MAX = 16_777_216;
export const EXAMPLES_MAX = 5;
const BYTES_AT_ONCE = 1_048_576;

/** The longest time of one statement: others may wait for its locks. */
const STATEMENT_MS = 1_000;

const newestStatement: Statement = {
  name: 'newest_events_of_type',
  text: 'select newest, part, pages from hookwright.newest_of_type($1, $2, $3, $4, $5, $6)',
};

type Found = [eventId: number, tenantId: number, bytes: number];

/** Looks at the newest events of a type, over all tenants. @param sinceId the first event to look at */
export async function findRefusedEvents(
  db: HasPool,
  eventType: string,
  judge: Judge,
  slices: Slices,
  sinceId = 0,
): Promise<RefusedEvents> {
  const examples = new Examples();
  let eventsLookedAt = 0;
  for await (const some of portionsOf(db, eventType, slices)) {
    const wanted = some.filter(([eventId]) => eventId >= sinceId);
    if (wanted.length === 0) {
      break; // partitions have their rows nearly in the order of ids
    }
    for (const [[eventId, tenantId], body] of await readBodies(db, wanted)) {
      if (slices.leftMs === 0) {
        return { eventsLookedAt, ...examples.all(), complete: false };
      }
      await slices.next();
      eventsLookedAt += 1;
      examples.add({ tenantId, eventId, issues: await judge(JSON.parse(body), body) });
    }
  }
  return { eventsLookedAt, ...examples.all(), complete: slices.leftMs > 0 };
}

type Newest = {
  newest: Found[];
  part: string | null;
  pages: number | null;
};

/** Searches for the newest events until there are enough or no more, or the time is over. */
async function* portionsOf(db: HasPool, eventType: string, slices: Slices): AsyncGenerator<Found[]> {
  let [events, bytes] = [EVENTS_MAX, EVENT_BYTES_MAX];
  let place: Pick<Newest, 'part' | 'pages'> = { part: null, pages: null };
  do {
    const ms = Math.floor(Math.min(STATEMENT_MS, slices.leftMs));
    const values: unknown[] = [eventType, events, bytes, ms, place.part, place.pages];
    const [row] = await tenantQuery<Newest>(db.pool, null, newestStatement, values);
    const { newest, ...next }: Newest = row!;
    yield* portions(newest);
    events -= newest.length;
    bytes -= newest.reduce((sum, [, , size]) => sum + size, 0);
    place = next;
  } while (place.part !== null && slices.leftMs > 0);
}

/** Events with at most 1 MiB together, or one event. */
function portions(found: readonly Found[]): Found[][] {
  const all: Found[][] = [];
  let room = 0;
  for (const event of found) {
    const [, , bytes] = event;
    room -= bytes;
    if (room < 0) {
      all.push([]);
      room = BYTES_AT_ONCE - bytes;
    }
    all.at(-1)!.push(event);
  }
  return all;
}

/** In the same order, each in a transaction for its tenant. An event whose day has ended meanwhile is missing. */
async function readBodies(db: HasPool, events: readonly Found[]): Promise<[Found, string][]> {
  const byTenant = Map.groupBy(events, ([, tenantId]) => tenantId);
  const bodies = new Map<Found, string | undefined>();
  for (const [tenantId, ofTenant] of byTenant) {
    const ids = ofTenant.map(([eventId]) => eventId);
    const read = await eventBodies.read(db, tenantId, ids);
    for (const event of ofTenant) {
      bodies.set(event, read.get(event[0]));
    }
  }
  return events.flatMap((event): [Found, string][] => {
    const body = bodies.get(event);
    return body === undefined ? [] : [[event, body]];
  });
}

class Examples {
  #judged = 0;
  #count = 0;
  readonly #kinds = new Map<string, RefusedEvent>();
  readonly #others: RefusedEvent[] = [];

  add({ issues, ...one }: Omit<RefusedEvent, 'issues'> & { issues: InputIssue[] | null }): void {
    this.#judged += issues === null ? 0 : 1;
    if (issues === null || issues.length === 0) {
      return;
    }
    const event = { ...one, issues };
    this.#count += 1;
    const kind = event.issues.map(kindOf).join();
    if (this.#kinds.size < EXAMPLES_MAX && !this.#kinds.has(kind)) {
      this.#kinds.set(kind, event);
    } else if (this.#others.length < EXAMPLES_MAX) {
      this.#others.push(event);
    }
  }

  all(): Pick<RefusedEvents, 'eventsJudged' | 'eventsRefused' | 'refusedEvents'> {
    const refusedEvents = [...this.#kinds.values(), ...this.#others].slice(0, EXAMPLES_MAX);
    return { eventsJudged: this.#judged, eventsRefused: this.#count, refusedEvents };
  }
}

/** The same for all elements of a list. */
const kindOf = ({ path, detail }: InputIssue): string =>
  `${path.filter((step) => typeof step === 'string').join('.')} ${detail}`;
