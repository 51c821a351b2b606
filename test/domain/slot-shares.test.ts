import { describe, expect, test } from 'vitest';
import { divideSlots, levelOf, slotsFor } from '../../src/domain/pacing/slot-shares.js';
import { draws, fc } from '../support/properties.js';
import { SlotSimulation } from '../support/slot-simulation.js';

describe('the level', () => {
  test.each([
    { slots: 180, asks: [13, 64, 64, 64, 64], level: 41.75 },
    { slots: 180, asks: [60, 60, 60], level: Number.POSITIVE_INFINITY },
    { slots: 180, asks: [60, 60, 61], level: 60 },
    { slots: 1, asks: [5, 5], level: 0.5 },
    { slots: 10, asks: [], level: Number.POSITIVE_INFINITY },
  ])('of $slots slots among $asks is $level', ({ slots, asks, level }) => {
    expect(levelOf(slots, asks)).toBe(level);
  });

  test('gives all slots away, nobody more than it asks for, and no more to one who asks for more', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.1, max: 500, noNaN: true }), fc.array(fc.nat(200)), (slots, asks) => {
        const level = levelOf(slots, asks);
        const given = asks.map((ask) => Math.min(ask, level)).reduce((sum, part) => sum + part, 0);
        expect(given).toBeCloseTo(
          Math.min(
            slots,
            asks.reduce((sum, ask) => sum + ask, 0),
          ),
          6,
        );
      }),
    );
  });

  test('of a tenant is divided among its endpoints where they ask for more', () => {
    const asking = [
      { tenant: 'a', ask: 100 },
      { tenant: 'a', ask: 10 },
      { tenant: 'a', ask: 100 },
      { tenant: 'b', ask: 100 },
      { tenant: 'c', ask: 5 },
    ];
    const { asked, level, endpointLevels } = divideSlots(200, asking);
    expect({ asked, level }).toEqual({ asked: 315, level: 87.5 });
    expect([...endpointLevels]).toEqual([
      ['a', 38.75],
      ['b', 87.5],
    ]);
  });
});

test.each([
  { endpoint: 3, tenant: 42, may: 1 },
  { endpoint: 4, tenant: 42, may: 0 },
  { endpoint: 4, tenant: 41, may: 1 },
  { endpoint: 5, tenant: 41, may: 0 },
])('with levels of 41.75 and 4.175, $may begins at an endpoint with $endpoint of its tenant’s $tenant', (held) => {
  const { endpoint, tenant, may } = held;
  expect(slotsFor({ endpoint, tenant, free: 20 }, 41.75, 4.175)).toBe(may);
});

const SLOTS = 100;
const RESERVE = 10;
const ANSWER_SECONDS_MAX = 8;
const seconds = (from: number, to: number) => fc.integer({ min: from * 10, max: to * 10 }).map((tenths) => tenths / 10);
const endpoint = fc.record({
  limit: fc.integer({ min: 1, max: 64 }),
  answerSeconds: fc
    .tuple(seconds(0.1, 2), seconds(0.1, 6))
    .map(([from, more]): [number, number] => [from, from + more]),
  perSecond: fc.integer({ min: 1, max: 40 }),
});
const tenants = fc.array(fc.array(endpoint, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 8 });
const seed = fc.integer({ min: 1, max: 1_000_000 });

const order = fc.constantFrom('FEWEST' as const, 'CHANCE' as const);

const forAll = (check: (simulation: SlotSimulation) => void) =>
  fc.assert(
    fc.property(tenants, seed, order, (all, chance, first) => check(new SlotSimulation(SLOTS, all, chance, first))),
    draws(4),
  );
const wantsAll = { limit: 64, answerSeconds: [10, 10], perSecond: 1 } as const;

describe('slots, whoever wants them', () => {
  test('are never more than there are, and no endpoint has more than its limit', () => {
    forAll((simulation) => {
      let most = 0;
      let areWithinLimits = true;
      simulation.run(15, ({ inFlight, isWithinLimits }) => {
        most = Math.max(most, inFlight);
        areWithinLimits &&= isWithinLimits;
      });
      expect(most).toBeLessThanOrEqual(SLOTS);
      expect(areWithinLimits).toBe(true);
    });
  });

  test('are not idle while somebody asks for one, except for the reserve and what is lost by rounding', () => {
    forAll((simulation) => {
      let [idle, all] = [0, 0];
      simulation.run(15, ({ inFlight, unmet, seconds }) => {
        idle += seconds * Math.max(0, Math.min(unmet, SLOTS - inFlight - RESERVE));
        all += seconds * SLOTS;
      });
      expect(idle / all).toBeLessThan(0.01);
    });
  });

  test('are divided by parts once asks have not changed for as long as the longest answer takes', () => {
    forAll((simulation) => {
      simulation.run(5);
      simulation.askForEver();
      simulation.run(ANSWER_SECONDS_MAX);
      const held = new Map<object, number>();
      let seconds = 0;
      simulation.run(2, (moment) => {
        seconds += moment.seconds;
        for (const holder of moment.tenants.flatMap((tenant) => [tenant, ...tenant.endpoints])) {
          held.set(holder, (held.get(holder) ?? 0) + moment.seconds * holder.inFlight);
        }
      });
      for (const [holder, part] of simulation.parts()) {
        expect(Math.abs(held.get(holder)! / seconds - part)).toBeLessThanOrEqual(Math.max(3, part / 4));
      }
    });
  });

  test('are there at once for a tenant that has none while one is free', () => {
    forAll((simulation) => {
      simulation.askForEver();
      simulation.run(5);
      const isFree = simulation.free > 0;
      const newcomer = simulation.join([{ limit: 1, answerSeconds: [10, 10], perSecond: 1 }]);
      expect(newcomer.inFlight).toBe(Number(isFree));
    });
  });

  test('are left for others by tenants that want all, also while these have not yet divided them', () => {
    const simulation = new SlotSimulation(SLOTS, [[wantsAll, wantsAll]], 1);
    simulation.askForEver();
    expect(simulation.free).toBe(RESERVE);
    expect(simulation.join([wantsAll]).inFlight).toBe(RESERVE - 1);
    expect(simulation.join([wantsAll]).inFlight).toBe(1);
  });

  test('are there for a tenant that has none when the next request ends, where none is free', () => {
    fc.assert(
      fc.property(seed, fc.integer({ min: 55, max: 80 }), (chance, count) => {
        const some = { ...wantsAll, answerSeconds: [1, 9] } as const;
        const simulation = new SlotSimulation(
          SLOTS,
          Array.from({ length: count }, () => [some]),
          chance,
        );
        simulation.askForEver();
        simulation.run(5);
        expect(simulation.free).toBe(0);
        const newcomer = simulation.join([some]);
        expect(newcomer.inFlight).toBe(0);
        simulation.untilNextEnd();
        expect(newcomer.inFlight).toBe(1);
      }),
      draws(5),
    );
  });

  test('are there for an endpoint that has none when the next request of its tenant ends', () => {
    fc.assert(
      fc.property(tenants, seed, (all, chance) => {
        const simulation = new SlotSimulation(SLOTS, all, chance);
        simulation.askForEver();
        simulation.run(5);
        const newcomer = simulation.joinFirst({ limit: 1, answerSeconds: [10, 10], perSecond: 1 });
        simulation.untilNextEnd(newcomer.tenant);
        expect(newcomer.inFlight).toBe(1);
      }),
      draws(3),
    );
  });
});

test('a tenant gets at most what its operator allows, divided among its endpoints, and the rest is for others', () => {
  const asking = [...Array.from({ length: 4 }, () => ({ tenant: 'limited', ask: 20 })), { tenant: 'other', ask: 70 }];
  const most = (tenant: string) => (tenant === 'limited' ? 8 : Number.POSITIVE_INFINITY);
  const limited = divideSlots(100, asking, most);
  expect(limited.asked).toBe(78);
  expect(limited.level).toBe(Number.POSITIVE_INFINITY);
  expect(limited.endpointLevels).toEqual(new Map([['limited', 2]]));
  expect(divideSlots(100, asking).level).toBeLessThan(70);
});
