import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Answer } from '../../daemon/gate/answer.js';
import type { Candidate, Entry, Permit } from '../../daemon/gate/entry.js';
import { Gate, type GateOptions } from '../../daemon/gate/gate.js';
import type { RateTables } from '../../daemon/gate/rates.js';
import type { Outcome } from '../../src/domain/deliveries/outcome.js';
import type { Lane } from '../../src/domain/pacing/lanes.js';

beforeEach(() => {
  gate = open();
  lastId = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const noTables: RateTables = { takeTimes: async () => [], findLeft: async () => [] };
const open = (options: Partial<GateOptions> = {}) =>
  new Gate({
    slots: 200,
    endpointMax: 64,
    originMax: 256,
    streakMsMin: 10_000,
    callBack: async (ids) => ids,
    rates: noTables,
    ...options,
  });

interface Destination {
  webhookId: number;
  tenantId: number;
  origin: string;
}

const to = (webhookId: number, origin = `https://host-${webhookId}.example`, tenantId = 1): Destination => ({
  webhookId,
  tenantId,
  origin,
});

let gate: Gate;
let lastId = 0;

/** The next delivery wants to be sent, or the one of this id again. */
function enter(
  { origin, ...destination } = to(1),
  { id, lane = 'FIRST', ...known }: Partial<Candidate> & { lane?: Lane } = {},
): Entry | Promise<Entry> {
  lastId += 1;
  const open = { generation: 0, failuresAtLoad: 0, closedForMs: 0, nextProbeInMs: 0, content: null };
  return gate.enter({ id: id ?? lastId, url: `${origin}/hook`, ...destination, ...open, ...known }, lane, origin);
}

const outcomes = {
  GOOD: { verdict: 'SUCCEEDED' },
  STRAINED: { verdict: 'FAILED', errorCode: 'HTTP_500', retryAfterMs: null, closing: null },
  OTHER: { verdict: 'FAILED', errorCode: 'HTTP_400', retryAfterMs: null, closing: null },
} satisfies Record<Answer['kind'], Outcome>;
const answer = (kind: Answer['kind']): Answer => ({ kind, outcome: outcomes[kind] });
const GOOD = answer('GOOD');
const FAILED = answer('STRAINED');
const busy = (closing: number | 'UNTIMED'): Answer => ({
  kind: 'STRAINED',
  outcome: { verdict: 'FAILED', errorCode: 'HTTP_429', retryAfterMs: null, closing },
});

function permitOf(entry: Entry): Permit {
  if ('putOffMs' in entry) {
    throw new Error(`was put off by ${entry.putOffMs} ms`);
  }
  return entry;
}

/** Lets time permit until the entry is there. */
async function whenever(entry: Entry | Promise<Entry>): Promise<Entry> {
  let settled: Entry | undefined;
  void Promise.resolve(entry).then((value) => {
    settled = value;
  });
  while (settled === undefined) {
    await vi.advanceTimersByTimeAsync(10);
  }
  return settled;
}

/** The delivery was put off, and its job is written, or not. @returns in how many ms that runs */
function putOff(entry: Entry, isWritten = true): number {
  if ('giveBack' in entry) {
    throw new Error('was let in');
  }
  entry.ended?.(isWritten);
  return entry.putOffMs;
}

const isIn = (entry: Entry | Promise<Entry>) => 'giveBack' in entry;

const permitsOf = async (entries: readonly (Entry | Promise<Entry>)[]): Promise<Permit[]> =>
  (await Promise.all(entries)).map(permitOf);

const permits = (destination: Destination, count: number): Promise<Permit[]> =>
  permitsOf(Array.from({ length: count }, () => enter(destination)));

function giveAllBack(inFlight: readonly Permit[], answered?: Answer): void {
  for (const permit of inFlight) {
    permit.giveBack(answered);
  }
}

/** Rounds of answers after `ms`, until the window is as wide as they let it become. */
async function practise(destination: Destination, ms: number, rounds = 8): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const width = stateOf(destination)?.window ?? 8;
    const inFlight = await permits(destination, width);
    await vi.advanceTimersByTimeAsync(ms);
    giveAllBack(inFlight, GOOD);
  }
}

const stateOf = ({ webhookId } = to(1)) => gate.states().find((state) => state.webhookId === webhookId);

describe('the window of an endpoint', () => {
  test('lets eight in, keeps the next ones waiting, and lets them in as permits become free', async () => {
    const inFlight = await permits(to(1), 8);
    const ninth = enter();
    expect(stateOf()).toMatchObject({ inFlight: 8, waiting: 1 });
    inFlight[0]!.giveBack(GOOD);
    permitOf(await ninth);
    expect(stateOf()).toMatchObject({ inFlight: 8, waiting: 0 });
  });

  test.each([50, 600])('grows to 64 while answers after %i ms are good and it is used, and no further', async (ms) => {
    await practise(to(1), ms, 20);
    expect(stateOf()?.window).toBe(64);
    expect(await permits(to(1), 64)).toHaveLength(64);
    void enter();
    expect(stateOf()).toMatchObject({ inFlight: 64 });
  });

  test('a permit is given back once, however often that is said', async () => {
    const [first] = await permits(to(1), 2);
    first!.giveBack(GOOD);
    first!.giveBack(GOOD);
    expect(stateOf()).toMatchObject({ inFlight: 1 });
  });

  test('begins again at eight when the webhook moves to another url', async () => {
    await practise(to(1), 300);
    await enter(to(1, 'https://elsewhere.example'));
    expect(stateOf()?.window).toBe(8);
  });
});

describe('an endpoint that fails', () => {
  /** Each probe fails at once. @returns when each began, counted from the first failure */
  async function probes(count: number): Promise<number[]> {
    permitOf(await enter()).giveBack(FAILED);
    const failedAt = performance.now();
    const times: number[] = [];
    while (performance.now() - failedAt < 60_000 && times.length < count) {
      await vi.advanceTimersByTimeAsync(20);
      const entry = await whenever(enter());
      if ('giveBack' in entry) {
        times.push(performance.now() - failedAt);
        entry.giveBack(FAILED);
      } else {
        putOff(entry, false);
      }
    }
    return times;
  }

  test('is probed with growing pauses: the tenth failure comes between ten and twenty seconds after the first', async () => {
    const times = await probes(9);
    expect(times).toHaveLength(9);
    expect(times[0]).toBeLessThan(1_000);
    expect(times[8]).toBeGreaterThanOrEqual(10_000);
    expect(times[8]).toBeLessThan(20_000);
    const pauses = times.map((at, n) => at - (times[n - 1] ?? 0));
    expect(pauses.at(-1)).toBeGreaterThan(pauses[1]!);
  });

  test('is not paused for a failure now and then', async () => {
    const startedAt = performance.now();
    for (let n = 0; n < 100; n++) {
      const permit = permitOf(await enter());
      await vi.advanceTimersByTimeAsync(5);
      permit.giveBack(n % 2 === 0 ? FAILED : GOOD);
    }
    expect(performance.now() - startedAt).toBeLessThan(600);
  });

  test('is probed without pauses where a row of failures may be of any duration', async () => {
    gate = open({ streakMsMin: 0 });
    const times = await probes(9);
    expect(times[8]).toBeLessThan(1_000);
  });

  test('gets what it wants again with its first success', async () => {
    const [failing, ...others] = await permits(to(1), 8);
    failing!.giveBack(FAILED);
    putOff(await whenever(enter()), false);
    giveAllBack(others, GOOD);
    expect(await permits(to(1), 2)).toHaveLength(2);
  });

  test('has what another process knows of it', async () => {
    const known = { failuresAtLoad: 5, nextProbeInMs: 2_000 };
    expect(putOff(await whenever(enter(to(1), known)))).toBeGreaterThan(1_000);
    await vi.advanceTimersByTimeAsync(2_001);
    permitOf(await enter(to(1), { ...known, id: 1, nextProbeInMs: 0 }));
  });

  test('is forgotten when the webhook is switched on again', async () => {
    permitOf(await enter()).giveBack(FAILED);
    putOff(await enter(to(1), { failuresAtLoad: 9, nextProbeInMs: 5_000 }));
    permitOf(await enter(to(1), { id: 2, generation: 2 }));
  });
});

describe('an endpoint that is silent', () => {
  test('gets no more than could fail without disabling it', async () => {
    await practise(to(1), 20, 40);
    await permits(to(1), 4);
    let admitted = 4;
    for (const startedAt = performance.now(); performance.now() - startedAt < 14_000; ) {
      await vi.advanceTimersByTimeAsync(50);
      const entry = await whenever(enter());
      admitted += Number(isIn(entry));
      if (!isIn(entry)) {
        putOff(entry, false);
      }
    }
    expect(admitted).toBeGreaterThan(4);
    expect(admitted).toBeLessThanOrEqual(9);
  });

  test('keeps those who come in the first moment waiting: a pause of our own looks the same', async () => {
    await practise(to(1), 20, 40);
    const inFlight = await permits(to(1), 64);
    await vi.advanceTimersByTimeAsync(200);
    const waiting = Array.from({ length: 100 }, () => enter());
    giveAllBack(inFlight, GOOD);
    await permitsOf(waiting.slice(0, 64));
    expect(stateOf()).toMatchObject({ inFlight: 64, waiting: 36, putOffs: 0 });
  });

  test('is not one that takes as long as it usually does', async () => {
    await practise(to(1), 600, 4);
    await permits(to(1), 20);
    await vi.advanceTimersByTimeAsync(900);
    expect(await permits(to(1), 20)).toHaveLength(20);
  });
});

describe('an endpoint that asks for a pause', () => {
  test('gets nothing until it is over, then one, and goes on at the pace of what it took', async () => {
    const inFlight = await permits(to(1), 8);
    await vi.advanceTimersByTimeAsync(20);
    giveAllBack(inFlight.slice(0, 5), GOOD);
    giveAllBack(inFlight.slice(5), busy(1_000));
    await vi.advanceTimersByTimeAsync(400);
    expect(putOff(await enter())).toBeGreaterThan(600);
    await vi.advanceTimersByTimeAsync(650);
    const probe = permitOf(await enter(to(1), { id: lastId }));
    void enter();
    expect(stateOf()).toMatchObject({ inFlight: 1, window: 1 });
    await vi.advanceTimersByTimeAsync(20);
    probe.giveBack(GOOD);
    await vi.advanceTimersByTimeAsync(100);
    expect(stateOf()).toMatchObject({ inFlight: 0, waiting: 1 });
    await vi.advanceTimersByTimeAsync(150);
    expect(stateOf()).toMatchObject({ inFlight: 1 });
  });

  test('sends away those who wait: they were loaded before that answer', async () => {
    const inFlight = await permits(to(1), 8);
    const waiting = [enter(), enter()];
    inFlight[0]!.giveBack(busy(60_000));
    for (const entry of await Promise.all(waiting)) {
      expect(putOff(entry)).toBeGreaterThan(60_000);
    }
  });

  test('is closed here too when another process was asked', async () => {
    expect(putOff(await enter(to(1), { closedForMs: 30_000 }))).toBeGreaterThan(30_000);
    expect(putOff(await enter(to(1), { lane: 'TEST' }))).toBeGreaterThanOrEqual(30_000);
  });
});

describe('who goes first', () => {
  const first = () => enter(to(1), { lane: 'TEST' });

  test('takes the next permit that becomes free, ahead of those who wait already', async () => {
    const inFlight = await permits(to(1), 8);
    const inLine = enter();
    const ahead = first();
    inFlight[0]!.giveBack(GOOD);
    permitOf(await ahead);
    expect(stateOf()).toMatchObject({ inFlight: 8, waiting: 1 });
    inFlight[1]!.giveBack(GOOD);
    permitOf(await inLine);
  });

  test('waits at a slow endpoint too, and comes back within a second, whatever was put off before', async () => {
    await practise(to(1), 2_000, 1);
    await permits(to(1), stateOf()!.window);
    const others = Array.from({ length: 100 }, () => enter());
    const waiting = [first(), first()];
    await vi.advanceTimersByTimeAsync(500);
    for (const inMs of (await Promise.all(waiting)).map((entry) => putOff(entry))) {
      expect(inMs).toBeGreaterThanOrEqual(250);
      expect(inMs).toBeLessThanOrEqual(1_000);
    }
    await Promise.all(others);
  });

  test('holds two slots of an endpoint at most', async () => {
    await practise(to(1), 300, 1);
    await permits(to(1), stateOf()!.window);
    const waiting = [first(), first()];
    expect(putOff(await first())).toBe(1_000);
    await vi.advanceTimersByTimeAsync(500);
    await Promise.all(waiting);
    expect(stateOf()?.waiting).toBe(0);
  });
});

describe('waiting', () => {
  test('ends after half a second: the slot is given back', async () => {
    await practise(to(1), 300, 1);
    await permits(to(1), stateOf()!.window);
    const ninth = enter();
    await vi.advanceTimersByTimeAsync(500);
    putOff(await ninth);
    expect(stateOf()?.waiting).toBe(0);
  });

  test('is for two at most at an endpoint that fails', async () => {
    giveAllBack(await permits(to(1), 3), FAILED);
    void enter();
    void enter();
    putOff(await enter());
    expect(stateOf()?.waiting).toBe(2);
  });

  test('is for nobody where no request of the tenant has ended for half a second', async () => {
    await practise(to(1), 300, 1);
    await permits(to(1), stateOf()!.window);
    await vi.advanceTimersByTimeAsync(501);
    putOff(await enter());
    expect(stateOf()?.waiting).toBe(0);
  });
});

describe('putting off', () => {
  /** Deliveries that were put off at an endpoint whose permits are in use. @returns what lets these go */
  async function backlog(lanes: readonly Lane[], answerMs = 20_000): Promise<Permit[]> {
    await practise(to(1), answerMs, 1);
    const inFlight = await permits(to(1), stateOf()!.window);
    const entries = lanes.map((lane) => enter(to(1), { lane }));
    for (const entry of await Promise.all(entries)) {
      putOff(entry);
    }
    return inFlight;
  }
  /** @returns the deliveries that are called back */
  const recordCalls = () => {
    const called: number[] = [];
    const callBack = async (ids: readonly number[]) => {
      called.push(...ids);
      return ids;
    };
    gate = open({ callBack });
    return called;
  };

  test('those who were put off are called back when there is room, the oldest first', async () => {
    const called = recordCalls();
    const inFlight = await backlog(['FIRST', 'FIRST', 'FIRST', 'FIRST']);
    await vi.advanceTimersByTimeAsync(100);
    const firstId = lastId - 3;
    expect(called.every((id) => id >= firstId)).toBe(true);
    giveAllBack(inFlight, GOOD);
    await vi.advanceTimersByTimeAsync(100);
    expect(called).toEqual([firstId, firstId + 1, firstId + 2, firstId + 3]);
    permitOf(await enter(to(1), { id: firstId }));
  });

  test('first attempts are called back before retries, and each fourth is the oldest of all', async () => {
    const called = recordCalls();
    const lanes: Lane[] = ['BULK', 'RETRY', 'FIRST', 'CROWDED', 'FIRST', 'FIRST'];
    const inFlight = await backlog(lanes);
    giveAllBack(inFlight, GOOD);
    await vi.advanceTimersByTimeAsync(200);
    const order = called.map((id) => lanes[id - (lastId - 5)]);
    expect(order).toEqual(['FIRST', 'CROWDED', 'FIRST', 'BULK', 'FIRST', 'RETRY']);
  });

  test('a delivery that comes when there is a permit for each goes at once: put-offs do not breed put-offs', async () => {
    gate = open({ callBack: async () => [] });
    const inFlight = await backlog(['FIRST', 'FIRST']);
    giveAllBack(inFlight.slice(0, 2));
    putOff(await enter());
    giveAllBack(inFlight, GOOD);
    permitOf(await enter());
  });

  test('whoever comes meanwhile is put off behind them', async () => {
    gate = open({ callBack: async () => [] });
    const inFlight = await backlog(['FIRST', 'FIRST', 'FIRST']);
    inFlight[0]!.giveBack();
    putOff(await enter());
    putOff(await enter(to(1), { lane: 'RETRY' }));
  });

  test('one whose job cannot be written, or is somebody else’s, keeps nobody waiting', async () => {
    gate = open({ callBack: async () => [] });
    const inFlight = await backlog(['FIRST']);
    giveAllBack(inFlight, GOOD);
    await vi.advanceTimersByTimeAsync(100);
    const all = await permits(to(1), stateOf()!.window);
    const waiting = enter();
    await vi.advanceTimersByTimeAsync(500);
    putOff(await waiting, false);
    all[0]!.giveBack(GOOD);
    permitOf(await enter());
  });

  test('whoever comes to a quick endpoint waits, and those who were put off before go first', async () => {
    const called = recordCalls();
    await practise(to(1), 20, 40);
    const inFlight = await permits(to(1), 64);
    let entry = enter();
    while (entry instanceof Promise) {
      entry = enter();
    }
    putOff(entry);
    const putOffId = lastId;
    giveAllBack(inFlight.splice(0, 32), GOOD);
    const newcomer = enter();
    await vi.advanceTimersByTimeAsync(60);
    expect(called).toEqual([putOffId]);

    const back = enter(to(1), { id: putOffId });
    inFlight[0]!.giveBack(GOOD);
    permitOf(await back);
    expect(newcomer).toBeInstanceOf(Promise);
    expect(stateOf()?.putOffs).toBe(1);
  });

  test('a backlog at a quick endpoint goes down while a thousand more come each second', async () => {
    const HANG_MS = 1_000;
    const ANSWER_MS = 20;
    const CALL_TAKES_MS = 60;
    let isHanging = false;
    const sent = new Set<number>();
    const send = async (id: number) => {
      const entry = await enter(to(1), { id });
      if ('putOffMs' in entry) {
        putOff(entry);
        return;
      }
      setTimeout(
        () => {
          sent.add(id);
          entry.giveBack(GOOD);
        },
        ANSWER_MS + (isHanging ? HANG_MS : 0),
      );
    };
    const callBack = async (ids: readonly number[]) => {
      setTimeout(() => ids.forEach((id) => void send(id)), CALL_TAKES_MS);
      return ids;
    };
    gate = open({ callBack });
    let newest = 0;
    const emitFor = async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 10) {
        for (let count = 0; count < 10; count++) {
          newest += 1;
          void send(newest);
        }
        await vi.advanceTimersByTimeAsync(10);
      }
    };

    await emitFor(1_000);
    isHanging = true;
    await emitFor(HANG_MS);
    isHanging = false;
    expect(newest - sent.size).toBeGreaterThan(900);
    await emitFor(3_000);

    expect(newest - sent.size).toBeLessThan(100);
  });

  test('the first delivery of a tenant, put off by a pause that another process knows, is called back at its end', async () => {
    const called = recordCalls();
    putOff(await enter(to(1), { closedForMs: 2_000 }));
    await vi.advanceTimersByTimeAsync(1_800);
    expect(called).toEqual([]);
    await vi.advanceTimersByTimeAsync(300);
    expect(called).toEqual([lastId]);
  });

  test('a backlog whose deliveries turn out not to be due is gone through at once, and waited for no more', async () => {
    const called: number[] = [];
    const callBack = async (ids: readonly number[]) => {
      called.push(...ids);
      setTimeout(() => ids.forEach((id) => void gate.notDue(id)), 20);
      return ids;
    };
    gate = open({ callBack });
    const inFlight = await backlog(Array.from({ length: 500 }, () => 'FIRST' as const));
    giveAllBack(inFlight, GOOD);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(called).toHaveLength(500);
    expect(await permits(to(1), 8)).toHaveLength(8);
  });

  test('deliveries that were called back and do not come are waited for no more after a second', async () => {
    const called = recordCalls();
    const inFlight = await backlog(['FIRST', 'FIRST']);
    giveAllBack(inFlight, GOOD);
    await vi.advanceTimersByTimeAsync(500);
    expect(called).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    const { window } = stateOf()!;
    const entries = Array.from({ length: window }, () => enter());
    expect(entries.filter(isIn)).toHaveLength(window);
  });

  test('nobody is called back while the endpoint has no room', async () => {
    const called = recordCalls();
    await backlog(['FIRST', 'FIRST']);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(called).toEqual([]);
  });

  test('those whom nobody calls back come by themselves, after ten minutes at most', async () => {
    gate = open({ callBack: async () => [] });
    await backlog([], 600);
    const delays = [];
    for (let count = 0; count < 50_000; count++) {
      const entry = enter(to(1), { lane: 'RETRY' });
      delays.push(entry instanceof Promise ? 0 : putOff(entry));
    }
    expect(Math.max(...delays)).toBeLessThanOrEqual(600_000);
    expect(delays.at(-1)).toBe(525_000);
    expect(delays.at(10)).toBeLessThan(10_000);
  });
});

describe('many endpoints', () => {
  test('webhooks of one tenant at one origin share 256 permits, and get them in turn', async () => {
    gate = open({ slots: 2_000, originMax: 20 });
    const origin = 'https://shared.example';
    const first = await permits(to(1, origin), 8);
    await permits(to(2, origin), 8);
    await permits(to(3, origin), 4);
    const waiting = enter(to(3, origin));
    expect(stateOf(to(3))).toMatchObject({ inFlight: 4, waiting: 1 });
    first[0]!.giveBack(GOOD);
    permitOf(await waiting);
    // Another tenant has nothing to do with it.
    expect(await permits(to(4, origin, 2), 8)).toHaveLength(8);
  });

  /** A busy endpoint has 19 of 20 shared permits; then, at each answer, somebody more waits there. */
  async function turnsOfQuietOne(busy: Destination, quiet: Destination): Promise<number> {
    for (let width = 8; width < 20; width = stateOf(busy)!.window) {
      await practise(busy, 100, 1);
    }
    const first = await permits(quiet, 1);
    const inFlight = await permits(busy, 19);
    const waiting = [enter(busy)];
    const served = Promise.resolve(enter(quiet)).then(permitOf);
    let isServed = false;
    void served.then(() => {
      isServed = true;
    });
    let answers = 0;
    for (; answers < 10 && !isServed; answers++) {
      inFlight[answers]!.giveBack(GOOD);
      waiting.push(enter(busy));
      await vi.advanceTimersByTimeAsync(1);
    }
    first[0]!.giveBack(GOOD);
    return answers;
  }

  test('a quiet webhook comes to its turn beside a busy one of the same origin', async () => {
    const origin = 'https://shared.example';
    gate = open({ slots: 2_000, originMax: 20 });
    expect(await turnsOfQuietOne(to(1, origin), to(2, origin))).toBeLessThanOrEqual(2);
  });

  test('a quiet webhook comes to its turn beside a busy one of the same tenant, which has enough', async () => {
    gate = open({ slots: 22 });
    expect(await turnsOfQuietOne(to(1), to(2))).toBeLessThanOrEqual(2);
  });

  test('those of which nobody knows yet that they hang leave a tenth of the slots to another tenant', async () => {
    const other = to(1000, undefined, 2);
    await practise(other, 300, 4);
    const newcomers = Array.from({ length: 100 }, (_, n) => to(n));
    const entries = newcomers.flatMap((destination) => [enter(destination), enter(destination)]);
    const passed = entries.filter(isIn);
    expect(passed).toHaveLength(180);
    expect(await permits(other, 16)).toHaveLength(16);
    // The others do not hold their slots for long.
    await vi.advanceTimersByTimeAsync(500);
    expect((await Promise.all(entries)).filter((entry) => 'putOffMs' in entry)).toHaveLength(20);
  });

  test('those who wait because their tenant has enough go on when another endpoint of it answers', async () => {
    gate = open({ slots: 9 });
    const inFlight = await permits(to(1), 8);
    await permits(to(1000, undefined, 2), 1);
    const waiting = enter(to(2));
    inFlight[0]!.giveBack(GOOD);
    expect(await waiting).toMatchObject({ giveBack: expect.any(Function) });
  });

  test('a tenant that moves its endpoint again and again has no more', async () => {
    gate = open({ slots: 40 });
    const entries = Array.from({ length: 40 }, (_, n) => enter(to(1, `https://host-${n}.example`)));
    expect(entries.filter(isIn)).toHaveLength(36);
  });

  test('a tenant alone leaves a tenth of the slots to others', async () => {
    const first = Array.from({ length: 100 }, (_, n) => [enter(to(n)), enter(to(n))]).flat();
    expect(first.filter(isIn)).toHaveLength(180);
    expect(isIn(enter(to(200, undefined, 2)))).toBe(true);
  });

  test('of a few slots a tenant alone has all', async () => {
    gate = open({ slots: 4 });
    const entries = [0, 1, 2, 3].map((n) => enter(to(n)));
    expect(entries.filter(isIn)).toHaveLength(4);
  });

  test('slots that one tenant has are divided with another one as its requests end', async () => {
    gate = open({ slots: 60 });
    const [of1, of2] = [1, 2].map((tenantId) => [0, 1, 2, 3].map((n) => to(10 * tenantId + n, undefined, tenantId)));
    for (const destination of [...of1!, ...of2!]) {
      await practise(destination, 2_000, 1);
    }
    const held = await admitted(of1!);
    expect(held.length).toBe(32);
    const others = await admitted(of2!);
    expect(others.length).toBeGreaterThanOrEqual(25);
    giveAllBack(held.slice(0, 16), GOOD);
    expect((await admitted(of1!)).length).toBeLessThanOrEqual(14);
  });

  /** How many get in when all want as much as they can. */
  async function admitted(destinations: Destination[]): Promise<Permit[]> {
    const entries = destinations.flatMap((destination) => Array.from({ length: 8 }, () => enter(destination)));
    await vi.advanceTimersByTimeAsync(500);
    const settled = await Promise.all(entries);
    return settled.filter((entry) => 'giveBack' in entry);
  }
});
