import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Admission,
  type Destination,
  Gate,
  type GateOptions,
  type Pass,
} from '../../daemon/gate/gate.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (options: Partial<GateOptions> = {}) =>
  new Gate({
    slots: 200,
    endpointMax: 64,
    originMax: 256,
    now: () => performance.now(),
    random: () => 0.5,
    ...options,
  });

const to = (webhookId: number, origin = `https://host-${webhookId}.example`, tenantId = 1): Destination => ({
  webhookId,
  tenantId,
  origin,
});

function passOf(admission: Admission): Pass {
  if (!('pass' in admission)) {
    throw new Error(`was put off by ${admission.putOffMs} ms`);
  }
  return admission.pass;
}

const passes = async (gate: Gate, destination: Destination, count: number): Promise<Pass[]> =>
  (await Promise.all(Array.from({ length: count }, () => gate.enter(destination)))).map(passOf);

/** Rounds of answers after `ms`, until the window is as wide as they let it become. */
async function practise(gate: Gate, destination: Destination, ms: number, rounds = 8): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const width = stateOf(gate, destination)?.window ?? 8;
    const inFlight = await passes(gate, destination, width);
    await vi.advanceTimersByTimeAsync(ms);
    for (const pass of inFlight) {
      pass.leave('GOOD');
    }
  }
}

const stateOf = (gate: Gate, { webhookId }: Destination) =>
  gate.states().find((state) => state.webhookId === webhookId);

describe('the window of an endpoint', () => {
  test('lets eight in, keeps the next ones waiting, and lets them in as places become free', async () => {
    const gate = open();
    const inFlight = await passes(gate, to(1), 8);
    const ninth = gate.enter(to(1));
    expect(stateOf(gate, to(1))).toMatchObject({ inFlight: 8, waiting: 1 });
    inFlight[0]!.leave('OTHER');
    passOf(await ninth);
    expect(stateOf(gate, to(1))).toMatchObject({ inFlight: 8, waiting: 0 });
  });

  test('grows to 64 while answers are fast and good, and no further', async () => {
    const gate = open();
    await practise(gate, to(1), 5);
    expect(stateOf(gate, to(1))?.window).toBe(64);
    expect(await passes(gate, to(1), 64)).toHaveLength(64);
    void gate.enter(to(1));
    expect(stateOf(gate, to(1))).toMatchObject({ inFlight: 64, waiting: 1 });
  });

  test('shrinks to one for an endpoint that fails', async () => {
    const gate = open();
    for (let round = 0; round < 4; round++) {
      const pass = passOf(await gate.enter(to(1)));
      await vi.advanceTimersByTimeAsync(10);
      pass.leave('STRAINED');
    }
    expect(stateOf(gate, to(1))?.window).toBe(1);
  });

  test('a place is left once, however often it is said', async () => {
    const gate = open();
    const [first] = await passes(gate, to(1), 2);
    first!.leave('GOOD');
    first!.leave('GOOD');
    expect(stateOf(gate, to(1))).toMatchObject({ inFlight: 1, window: 9 });
  });

  test('begins anew when the webhook moves to another url', async () => {
    const gate = open();
    await practise(gate, to(1), 5);
    await gate.enter(to(1, 'https://elsewhere.example'));
    expect(stateOf(gate, to(1))?.window).toBe(8);
  });
});

describe('who goes first', () => {
  const first = (gate: Gate) => gate.enter(to(1), true);

  test('takes the next place that becomes free, ahead of those who wait already', async () => {
    const gate = open();
    const inFlight = await passes(gate, to(1), 8);
    const inLine = gate.enter(to(1));
    const ahead = first(gate);
    inFlight[0]!.leave('OTHER');
    passOf(await ahead);
    expect(stateOf(gate, to(1))).toMatchObject({ inFlight: 8, waiting: 1 });
    inFlight[1]!.leave('OTHER');
    passOf(await inLine);
  });

  test('waits at a slow endpoint too, and comes back within a second, whatever was put off before', async () => {
    const gate = open();
    await practise(gate, to(1), 2_000, 2);
    await passes(gate, to(1), 8);
    for (let count = 0; count < 100; count++) {
      await gate.enter(to(1));
    }
    const waiting = [first(gate), first(gate)];
    await vi.advanceTimersByTimeAsync(500);
    for (const turn of await Promise.all(waiting)) {
      expect(turn).toEqual({ putOffMs: expect.toSatisfy((ms: number) => ms >= 250 && ms <= 1_000) });
    }
  });

  test('holds two slots of an endpoint at most', async () => {
    const gate = open();
    await passes(gate, to(1), 8);
    const waiting = [first(gate), first(gate)];
    expect(await first(gate)).toEqual({ putOffMs: 250 });
    await vi.advanceTimersByTimeAsync(500);
    await Promise.all(waiting);
    expect(stateOf(gate, to(1))?.waiting).toBe(0);
  });
});

describe('waiting', () => {
  test('ends after half a second: the slot is given back', async () => {
    const gate = open();
    await passes(gate, to(1), 8);
    const ninth = gate.enter(to(1));
    await vi.advanceTimersByTimeAsync(500);
    expect(await ninth).toEqual({ putOffMs: expect.any(Number) });
    expect(stateOf(gate, to(1))?.waiting).toBe(0);
  });

  test('is not even begun where requests have been hanging for longer than that', async () => {
    const gate = open();
    await passes(gate, to(1), 8);
    await vi.advanceTimersByTimeAsync(501);
    expect(await gate.enter(to(1))).toEqual({ putOffMs: expect.any(Number) });
  });

  test('an endpoint that begins to hang gets no more than a newcomer, however wide its window was', async () => {
    const gate = open();
    await practise(gate, to(1), 5);
    await passes(gate, to(1), 9);
    await vi.advanceTimersByTimeAsync(501);
    expect(await gate.enter(to(1))).toEqual({ putOffMs: expect.any(Number) });
  });
});

describe('putting off', () => {
  /** A webhook whose eight places are taken, and that answers after ten seconds. */
  async function slowEndpoint(gate: Gate): Promise<void> {
    await practise(gate, to(1), 10_000, 2);
    await passes(gate, to(1), 8);
  }

  test('each is put off until its own turn, one after the other', async () => {
    const gate = open();
    await slowEndpoint(gate);
    const turns = [await gate.enter(to(1)), await gate.enter(to(1)), await gate.enter(to(1))];
    expect(turns).toEqual([{ putOffMs: 1_250 }, { putOffMs: 2_500 }, { putOffMs: 3_750 }]);
  });

  test('for a quarter of a second at least, and ten minutes at most', async () => {
    const gate = open();
    await slowEndpoint(gate);
    const delays: number[] = [];
    for (let count = 0; count < 1_000; count++) {
      const turn = await gate.enter(to(1));
      delays.push('putOffMs' in turn ? turn.putOffMs : 0);
    }
    expect(Math.max(...delays)).toBeLessThanOrEqual(600_000);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(250);
    expect(delays.at(-1)).toBe(525_000);
  });

  test('becomes shorter for those who come when the endpoint has recovered', async () => {
    const gate = open();
    await practise(gate, to(1), 10_000, 1);
    const hanging = await passes(gate, to(1), 8);
    for (let count = 0; count < 100; count++) {
      await gate.enter(to(1));
    }
    expect(await gate.enter(to(1))).toEqual({ putOffMs: 126_250 });
    for (const pass of hanging) {
      pass.leave('GOOD');
    }
    for (let success = 0; success < 40; success++) {
      const pass = passOf(await gate.enter(to(1)));
      await vi.advanceTimersByTimeAsync(5);
      pass.leave('GOOD');
    }
    await passes(gate, to(1), 8);
    await vi.advanceTimersByTimeAsync(501);
    const turn = await gate.enter(to(1));
    expect('putOffMs' in turn && turn.putOffMs).toBeLessThan(2_000);
  });
});

describe('many endpoints', () => {
  test('webhooks of one tenant at one origin share 256 places, and take turns at them', async () => {
    const gate = open({ slots: 2_000, originMax: 20 });
    const origin = 'https://shared.example';
    const first = await passes(gate, to(1, origin), 8);
    await passes(gate, to(2, origin), 8);
    await passes(gate, to(3, origin), 4);
    const waiting = gate.enter(to(3, origin));
    expect(stateOf(gate, to(3))).toMatchObject({ inFlight: 4, waiting: 1 });
    first[0]!.leave('GOOD');
    passOf(await waiting);
    // Another tenant has nothing to do with it.
    expect(await passes(gate, to(4, origin, 2), 8)).toHaveLength(8);
  });

  /** Of 20 places that endpoints share, a busy one has 19; then, at each answer, somebody more waits there. */
  async function turnsOfQuietOne(gate: Gate, busy: Destination, quiet: Destination): Promise<number> {
    for (let width = 8; width < 20; width = stateOf(gate, busy)!.window) {
      await practise(gate, busy, 5, 1);
    }
    const held = await passes(gate, quiet, 1);
    const inFlight = await passes(gate, busy, 19);
    const waiting = [gate.enter(busy)];
    const served = Promise.resolve(gate.enter(quiet)).then(passOf);
    let isServed = false;
    void served.then(() => {
      isServed = true;
    });
    let answers = 0;
    for (; answers < 10 && !isServed; answers++) {
      inFlight[answers]!.leave('GOOD');
      waiting.push(gate.enter(busy));
      await vi.advanceTimersByTimeAsync(1);
    }
    held[0]!.leave('GOOD');
    return answers;
  }

  test('a quiet webhook comes to its turn beside a busy one of the same origin', async () => {
    const origin = 'https://shared.example';
    const gate = open({ slots: 2_000, originMax: 20 });
    expect(await turnsOfQuietOne(gate, to(1, origin), to(2, origin))).toBeLessThanOrEqual(2);
  });

  test('a quiet webhook comes to its turn beside a busy one of the same tenant, which has enough', async () => {
    const gate = open({ slots: 25 });
    await practise(gate, to(1000, undefined, 2), 5, 1); // there are others: four fifths are 20
    expect(await turnsOfQuietOne(gate, to(1), to(2))).toBeLessThanOrEqual(2);
  });

  test('slow ones hold half of the slots together, and leave the rest to the others', async () => {
    const gate = open({ slots: 64 });
    const slow = [1, 2, 3, 4, 5, 6].map((webhookId) => to(webhookId, undefined, webhookId));
    for (const destination of slow) {
      await practise(gate, destination, 2_000, 1);
    }
    const inFlight = await admitted(gate, slow);
    expect(inFlight).toBeGreaterThan(28);
    expect(inFlight).toBeLessThanOrEqual(32);
    expect(await passes(gate, to(7), 8)).toHaveLength(8);
  });

  test('those of which nobody knows yet that they hang leave a fifth of the slots to another tenant', async () => {
    const gate = open();
    const other = to(1000, undefined, 2);
    await practise(gate, other, 5, 1);
    const newcomers = Array.from({ length: 100 }, (_, n) => to(n));
    const turns = newcomers.flatMap((destination) => [gate.enter(destination), gate.enter(destination)]);
    const passed = turns.filter((turn) => 'pass' in turn);
    expect(passed).toHaveLength(160);
    expect(await passes(gate, other, 16)).toHaveLength(16);
    // The others do not hold their slots for long.
    await vi.advanceTimersByTimeAsync(100);
    expect((await Promise.all(turns)).filter((turn) => 'putOffMs' in turn)).toHaveLength(40);
  });

  test('those who wait because their tenant has enough go on when another endpoint of it answers', async () => {
    const gate = open({ slots: 10 });
    await practise(gate, to(1000, undefined, 2), 5, 1);
    const inFlight = await passes(gate, to(1), 8);
    const waiting = gate.enter(to(2));
    inFlight[0]!.leave('GOOD');
    expect(await waiting).toEqual({ pass: expect.anything() });
  });

  test('a tenant that moves its endpoint again and again has no more', async () => {
    const gate = open({ slots: 40 });
    await practise(gate, to(1000, undefined, 2), 5, 1);
    const turns = Array.from({ length: 40 }, (_, n) => gate.enter(to(1, `https://host-${n}.example`)));
    expect(turns.filter((turn) => 'pass' in turn)).toHaveLength(32);
  });

  test('a tenant alone leaves a tenth of the slots to whoever comes', async () => {
    const gate = open();
    const enter = (tenantId: number, n: number) => gate.enter(to(n, undefined, tenantId));
    const first = Array.from({ length: 100 }, (_, n) => [enter(1, n), enter(1, n)]).flat();
    expect(first.filter((turn) => 'pass' in turn)).toHaveLength(180);
    expect('pass' in enter(2, 200)).toBe(true);
  });

  test('of a few slots a tenant alone has all', async () => {
    const gate = open({ slots: 4 });
    const turns = [0, 1, 2, 3].map((n) => gate.enter(to(n)));
    expect(turns.filter((turn) => 'pass' in turn)).toHaveLength(4);
  });

  test('those of one tenant hold a third of the slots, so that another one’s slow ones have room', async () => {
    const gate = open({ slots: 60 });
    const [of1, of2] = [1, 2].map((tenantId) =>
      [0, 1, 2, 3].map((n) => to(10 * tenantId + n, undefined, tenantId)),
    );
    for (const destination of [...of1!, ...of2!]) {
      await practise(gate, destination, 2_000, 1);
    }
    expect(await admitted(gate, of1!)).toBe(20);
    expect(await admitted(gate, of2!)).toBe(7);
  });

  /** How many get in when all want as much as they can. */
  async function admitted(gate: Gate, destinations: Destination[]): Promise<number> {
    const turns = destinations.flatMap((destination) =>
      Array.from({ length: 8 }, () => gate.enter(destination)),
    );
    return (await Promise.all(turns)).filter((turn) => 'pass' in turn).length;
  }
});
