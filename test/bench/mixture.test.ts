import { expect, test } from 'vitest';
import {
  drawMixture,
  equalPartOf,
  fiveTenants,
  judgedOf,
  lagMsMax,
  loadOf,
  type MixedTenant,
  oneTenant,
  plain,
} from '../../bench/mixture.js';

test('an endpoint of a mixture has the part that it would have if it wanted its whole window', () => {
  const [a, b] = fiveTenants as [MixedTenant, MixedTenant];
  expect(loadOf(a.endpoints[0]!, a)).toBeCloseTo(13.2);
  expect(equalPartOf(a.endpoints[0]!, fiveTenants)).toBe(36);
  expect(equalPartOf(b.endpoints[0]!, fiveTenants)).toBeCloseTo(41.7);
  const alone: MixedTenant = { perSecond: 1, endpoints: [plain(1000, 1000)] };
  expect(equalPartOf(alone.endpoints[0]!, [alone])).toBe(64);
});

test('endpoints that need little of their part are judged, if they answer 2xx', () => {
  const quick = (mixture: readonly MixedTenant[]) => mixture[0]!.endpoints[0]!;
  expect(judgedOf(fiveTenants)).toEqual([quick(fiveTenants)]);
  expect(judgedOf(oneTenant)).toEqual([quick(oneTenant)]);
  const failing = [{ perSecond: 4, endpoints: [{ ...plain(300, 300), failPercent: 30 }] }];
  expect(judgedOf(failing)).toEqual([]);
  expect(lagMsMax(quick(fiveTenants))).toBe(1650);
  expect(lagMsMax(plain(100, 100))).toBe(500);
});

test('a mixture is the same for the same seed, and has three judged endpoints at least', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const mixture = drawMixture(seed);
    expect(mixture).toEqual(drawMixture(seed));
    expect(judgedOf(mixture).length).toBeGreaterThanOrEqual(3);
    expect(mixture.length).toBeGreaterThanOrEqual(2);
    expect(mixture.length).toBeLessThanOrEqual(20);
    for (const { perSecond, endpoints } of mixture) {
      expect(perSecond).toBeGreaterThanOrEqual(4);
      expect(perSecond).toBeLessThanOrEqual(60);
      const times = endpoints.flatMap(({ answerMs }) => answerMs);
      expect(Math.min(...times)).toBeGreaterThanOrEqual(300);
      expect(Math.max(...times)).toBeLessThanOrEqual(14_000);
    }
  }
});
