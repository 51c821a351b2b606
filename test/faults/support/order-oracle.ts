import type { Receipt } from './evidence.js';
import type { Disturbance } from './oracle.js';

/** An event that was emitted with a key, by one of several producers. Times are milliseconds since 1970. */
export interface OrderedEmit {
  eventId: number;
  key: string;
  /** The emit began after this. */
  from: number;
  /** It had committed by then. */
  to: number;
}

/** A delivery's place in the queue of its key. One that was sent again has several. */
export interface Turn {
  position: number;
  webhookId: number;
  key: string;
  deliveryId: number;
  eventId: number;
  status: string;
  wokenAt: number | null;
  endedAt: number | null;
  /** The delivery's state at that time. */
  endedAs: string | null;
}

interface OrderEvidence {
  emits: readonly OrderedEmit[];
  /** By position. */
  turns: readonly Turn[];
  receipts: readonly Receipt[];
  /** Times in which an application had a key. */
  locks: readonly { key: string; from: number; to: number }[];
  disturbances: readonly Disturbance[];
}

interface OrderFindings {
  problems: string[];
  turns: number;
  /** How long keys were free before their next deliveries were woken, ms. */
  idleMsP99: number;
  idleMsMax: number;
  /** The same where a fault came between, from its end. */
  recoveryMsMax: number;
  /** From a wake to the request, ms, also of those that were held, put off or in nobody's hands for a while. */
  sentMsP50: number;
  sentMsP99: number;
  sentMsMax: number;
}

/** The key of a whole endpoint. */
const WHOLE = '';
/** From the end of a turn until a daemon has taken the job that wakes the next one. */
const KILLED_MS = 500;
/** From the end of a fault until daemons fetch jobs again. */
const SETTLING_MS = 3_000;
/** The sweep for keys that were left over comes each minute. */
const RECOVERY_MS_MOST = 75_000;

/** Judges whether each key was kept in order. @param idleMsMost how long a free key may have nothing in its turn */
export function judgeOrder(evidence: OrderEvidence, idleMsMost: number): OrderFindings {
  const byKey = Map.groupBy(evidence.turns, ({ webhookId, key }) => `${webhookId}/${key}`);
  const requests = Map.groupBy(evidence.receipts, ({ deliveryId }) => deliveryId);
  const problems = [...commitProblems(evidence), ...gapProblems(evidence.turns, requests)];
  const idle: number[] = [];
  let recoveryMsMax = 0;
  for (const [key, turns] of byKey) {
    problems.push(...orderProblems(key, turns, requests));
    problems.push(...flightProblems(key, turns, requests, evidence.disturbances));
    // Turns that are canceled while they wait end before earlier ones.
    let endedAt = turns[0]!.endedAt ?? Infinity;
    for (const next of turns.slice(1)) {
      const { idleMs, isRecovery } = idleBetween(endedAt, next, evidence);
      if (isRecovery) {
        recoveryMsMax = Math.max(recoveryMsMax, idleMs);
      } else {
        idle.push(idleMs);
      }
      if (idleMs > (isRecovery ? RECOVERY_MS_MOST : idleMsMost)) {
        problems.push(`${key}: delivery ${next.deliveryId} was woken ${idleMs} ms after its key was free`);
      }
      endedAt = Math.max(endedAt, next.endedAt ?? Infinity);
    }
  }
  const [idleMsP99, idleMsMax] = [at(0.99, idle), at(1, idle)];
  const sent = evidence.turns.flatMap(({ wokenAt, deliveryId }) => {
    const first = requests.get(deliveryId)?.[0]?.arrivedAt ?? 0;
    return wokenAt !== null && first > wokenAt ? first - wokenAt : [];
  });
  const [sentMsP50, sentMsP99, sentMsMax] = [at(0.5, sent), at(0.99, sent), at(1, sent)];
  const turns = evidence.turns.length;
  return {
    problems,
    turns,
    idleMsP99,
    idleMsMax,
    recoveryMsMax: Math.round(recoveryMsMax),
    sentMsP50,
    sentMsP99,
    sentMsMax,
  };
}

const at = (share: number, all: readonly number[]) =>
  Math.round(all.toSorted((a, b) => a - b)[Math.floor((all.length - 1) * share)] ?? 0);

/** What the tables call delivered was acknowledged: else there is a gap of which nobody knows. */
function* gapProblems(turns: readonly Turn[], requests: ReadonlyMap<number, Receipt[]>): Generator<string> {
  const succeeded = turns.filter(({ status }) => status === 'SUCCEEDED').map(({ deliveryId }) => deliveryId);
  for (const id of new Set(succeeded)) {
    if (!requests.get(id)?.some(({ status }) => status === 200)) {
      yield `delivery ${id} is SUCCEEDED, but its endpoint never acknowledged it`;
    }
  }
}

/** Events whose emits did not overlap have their places in that order. */
function* commitProblems({ emits, turns }: OrderEvidence): Generator<string> {
  const first = new Map<string, number>();
  for (const { webhookId, eventId, position } of turns.toReversed()) {
    first.set(`${webhookId}/${eventId}`, position);
  }
  const wholes = new Set(turns.filter(({ key }) => key === WHOLE).map(({ webhookId }) => webhookId));
  for (const webhookId of new Set(turns.map((turn) => turn.webhookId))) {
    for (const earlier of emits) {
      for (const later of emits) {
        const places = [earlier, later].map(({ eventId }) => first.get(`${webhookId}/${eventId}`));
        const isOneKey = earlier.key === later.key || wholes.has(webhookId);
        if (isOneKey && earlier.to < later.from && places[0]! > places[1]!) {
          yield `${webhookId}: event ${later.eventId} stands before ${earlier.eventId}, which had committed`;
        }
      }
    }
  }
}

/** The first request of each delivery comes after the ends of all earlier turns. */
function* orderProblems(key: string, turns: readonly Turn[], requests: ReadonlyMap<number, Receipt[]>) {
  const seen = new Set<number>();
  let endedAt = 0;
  for (const { deliveryId, wokenAt, ...turn } of turns) {
    const sent = seen.has(deliveryId) ? undefined : requests.get(deliveryId)?.[0];
    if (sent !== undefined && sent.arrivedAt < endedAt - CLOCK_MS) {
      yield `${key}: delivery ${deliveryId} was sent ${endedAt - sent.arrivedAt} ms before an earlier one had ended`;
    }
    seen.add(deliveryId);
    if (turn.endedAt === null) {
      yield `${key}: the turn of delivery ${deliveryId}, which is ${turn.status}, has not ended`;
    }
    endedAt = Math.max(endedAt, turn.endedAt ?? 0);
  }
}

/** Of triggers and endpoints: the same machine, in other processes. */
const CLOCK_MS = 3;

/**
 * Two requests of one key overlap only if they are for one delivery, or somebody has canceled the earlier one, or a
 * fault has had it sent twice.
 */
function* flightProblems(
  key: string,
  turns: readonly Turn[],
  requests: ReadonlyMap<number, Receipt[]>,
  disturbances: readonly Disturbance[],
) {
  const ids = [...new Set(turns.map(({ deliveryId }) => deliveryId))];
  const receipts = ids.flatMap((id) => requests.get(id) ?? []).sort((a, b) => a.arrivedAt - b.arrivedAt);
  const ends = Map.groupBy(turns, ({ deliveryId }) => deliveryId);
  for (const [index, receipt] of receipts.entries()) {
    const under = receipts.slice(0, index).findLast(({ endedAt = Infinity }) => endedAt > receipt.arrivedAt);
    if (under === undefined || under.deliveryId === receipt.deliveryId) {
      continue;
    }
    // Its turn had ended before its request had.
    const over = ends.get(under.deliveryId)?.filter(({ endedAt }) => endedAt! <= receipt.arrivedAt + CLOCK_MS) ?? [];
    const isExplained =
      over.some(({ endedAs }) => endedAs === 'CANCELED') ||
      disturbances.some(({ from, to }) => from < receipt.arrivedAt && to + SETTLING_MS > under.arrivedAt);
    if (over.length === 0 || !isExplained) {
      yield `${key}: deliveries ${under.deliveryId} and ${receipt.deliveryId} were in flight together`;
    }
  }
}

interface Idle {
  idleMs: number;
  /** A fault came between: the time counts from its end. */
  isRecovery: boolean;
}

/** For how long a key was free and the next delivery waited, ms. @param endedAt the end of all earlier turns */
function idleBetween(endedAt: number, { key, wokenAt }: Turn, { locks, disturbances }: OrderEvidence): Idle {
  if (wokenAt === null) {
    return { idleMs: 0, isRecovery: false }; // it was canceled before, or made when the key had ended
  }
  const faults = disturbances.filter(({ from, to }) => from < wokenAt && to + SETTLING_MS > endedAt - KILLED_MS);
  const held = locks.filter((lock) => [lock.key, WHOLE].includes(key) && lock.from < wokenAt && lock.to > endedAt);
  const freeAt = Math.max(endedAt, ...[...held, ...faults].map(({ to }) => to));
  return { idleMs: Math.max(0, wokenAt - freeAt), isRecovery: faults.length > 0 };
}

/** SQL: has a database remember all turns. */
export const watchTurnsSql = `
  create table faults.turns (position bigint primary key, webhook_id bigint, key text, delivery_id bigint,
                             ended_at timestamptz, ended_as text);
  create index on faults.turns (delivery_id);
  create table faults.wakes (delivery_id bigint, at timestamptz default clock_timestamp());
  create index on faults.wakes (delivery_id);
  create function faults.note_turn() returns trigger language plpgsql security definer as $$
  begin
    if tg_op = 'INSERT' then
      insert into faults.turns values (new.position, new.webhook_id, new.key, new.delivery_id);
    else
      update faults.turns
      set ended_at = clock_timestamp(),
          ended_as = (select status::text from hookwright.deliveries where id = old.delivery_id)
      where position = old.position;
    end if;
    return null;
  end $$;
  create trigger note_turn after insert or delete on hookwright.ordering_queue
    for each row execute function faults.note_turn();
  create function faults.note_wake() returns trigger language plpgsql security definer as $$
  begin
    insert into faults.wakes (delivery_id) values (new.id);
    return null;
  end $$;
  create trigger note_wake after update on hookwright.deliveries for each row
    when (old.status::text = 'WAITING' and new.status::text in ('PENDING', 'HELD')) execute function faults.note_wake()`;

const millisecondsSql = (time: string) => `(extract(epoch from ${time}) * 1000)::double precision`;

/** SQL: the turns by position. */
export const turnsSql = `
  select t.position, t.webhook_id as "webhookId", t.key, t.delivery_id as "deliveryId", d.event_id as "eventId", d.status,
         ${millisecondsSql('t.ended_at')} as "endedAt", t.ended_as as "endedAs",
         (select ${millisecondsSql('min(w.at)')} from faults.wakes w
          where w.delivery_id = t.delivery_id and w.at <= coalesce(t.ended_at, 'infinity')
            and w.at > coalesce((select max(before.ended_at) from faults.turns before
                                 where before.delivery_id = t.delivery_id and before.position < t.position),
                                '-infinity')) as "wokenAt"
  from faults.turns t join hookwright.deliveries d on d.id = t.delivery_id
  order by t.position`;
