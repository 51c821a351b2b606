import { expect, test } from 'vitest';
import { TenantPace } from '../../src/domain/pacing/tenant-pace.js';

const pace = () => {
  const clock = { ms: 0 };
  return { clock, pace: new TenantPace(() => clock.ms) };
};

test.each([
  [499, false],
  [500, true],
])('%i deliveries at once crowd the others: %s', (deliveries, crowding) => {
  const { pace: tenants } = pace();
  tenants.emitted(1, deliveries);
  expect(tenants.isCrowding(1)).toBe(crowding);
  expect(tenants.isCrowding(2)).toBe(false);
});

test('250 a second for an hour crowd nobody, 300 do', () => {
  for (const [perSecond, crowding] of [
    [250, false],
    [300, true],
  ] as const) {
    const { clock, pace: tenants } = pace();
    for (let second = 0; second < 3_600; second++) {
      clock.ms += 1_000;
      tenants.emitted(1, perSecond);
    }
    expect(tenants.isCrowding(1)).toBe(crowding);
  }
});

test.each([600, 1_000, 50_000])('a burst of %i is forgotten a second later at the latest', (deliveries) => {
  const { clock, pace: tenants } = pace();
  tenants.emitted(1, deliveries);
  clock.ms = 399;
  expect(tenants.isCrowding(1)).toBe(true);
  clock.ms = 1_001;
  expect(tenants.isCrowding(1)).toBe(false);
});

test('of any number of tenants, the ones that emitted lately are remembered', () => {
  const { pace: tenants } = pace();
  for (let tenantId = 0; tenantId < 20_000; tenantId++) {
    tenants.emitted(tenantId, 1_000);
  }
  expect(tenants.isCrowding(19_999)).toBe(true);
  expect(tenants.isCrowding(0)).toBe(false);
});
