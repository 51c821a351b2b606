import { levelOf, reserveOf } from '../src/domain/pacing/slot-shares.js';
import { Chance } from '../test/seed/chance.js';
import type { RateLimit } from '../test/support/behaviour.js';

/** An endpoint of a mixture: how it answers. It gets every event of its tenant. */
export interface MixedEndpoint {
  /** Each answer takes from the first to the second, evenly. */
  answerMs: readonly [fromMs: number, toMs: number];
  /** Answered 500. */
  failPercent: number;
  /** Above this it answers 429. */
  limit: RateLimit | null;
}

export interface MixedTenant {
  perSecond: number;
  endpoints: readonly MixedEndpoint[];
}

export type Mixture = readonly MixedTenant[];

/** The shipped settings. */
const SLOTS = 200;
const WINDOW_MAX = 64;
/** An endpoint is judged while it needs no more than this part of what it could have. */
const JUDGED_LOAD = 0.6;
const JUDGED_MIN = 3;
/** More would measure the machine. */
const EVENTS_PER_SECOND_MAX = 400;

export const plain = (...answerMs: [fromMs: number, toMs: number]): MixedEndpoint => ({
  answerMs,
  failPercent: 0,
  limit: null,
});

const meanMs = ({ answerMs: [fromMs, toMs] }: MixedEndpoint): number => (fromMs + toMs) / 2;

/** Slots that an endpoint needs to keep up. */
export const loadOf = (endpoint: MixedEndpoint, { perSecond }: MixedTenant): number =>
  (perSecond * meanMs(endpoint)) / 1000;

/** The part that an endpoint would have if it asked for all of its window ("equal part"), while the others ask for theirs. */
export function equalPartOf(endpoint: MixedEndpoint, mixture: Mixture): number {
  const askOf = (other: MixedEndpoint, tenant: MixedTenant) =>
    other === endpoint ? WINDOW_MAX : other.limit === null ? Math.min(WINDOW_MAX, loadOf(other, tenant)) : 1;
  const asks = mixture.map((tenant) => tenant.endpoints.map((other) => askOf(other, tenant)));
  const sums = asks.map((own) => own.reduce((sum, ask) => sum + ask, 0));
  const own = mixture.findIndex(({ endpoints }) => endpoints.includes(endpoint));
  const part = Math.min(sums[own]!, levelOf(SLOTS - reserveOf(SLOTS), sums));
  return Math.min(WINDOW_MAX, levelOf(part, asks[own]!));
}

/** Those that answer 2xx and need at most three fifths of their equal part: they are to be served as if alone. */
export function judgedOf(mixture: Mixture): MixedEndpoint[] {
  return mixture.flatMap((tenant) =>
    tenant.endpoints.filter(
      (endpoint) =>
        endpoint.failPercent === 0 &&
        endpoint.limit === null &&
        loadOf(endpoint, tenant) <= JUDGED_LOAD * equalPartOf(endpoint, mixture),
    ),
  );
}

/** What its lag may be: two of its answer times, half a second at least. */
export const lagMsMax = (endpoint: MixedEndpoint): number => Math.max(500, 2 * meanMs(endpoint));

/** Draws until at least three endpoints are judged, and all ask for more slots than there are. */
export function drawMixture(seed: number): Mixture {
  const chance = new Chance(seed);
  for (;;) {
    const mixture = Array.from({ length: chance.whole(2, 20) }, () => drawTenant(chance));
    const all = mixture.flatMap((tenant) => tenant.endpoints.map((endpoint) => ({ tenant, endpoint })));
    const events = all.reduce((sum, { tenant }) => sum + tenant.perSecond, 0);
    const load = all.reduce((sum, { tenant, endpoint }) => sum + Math.min(WINDOW_MAX, loadOf(endpoint, tenant)), 0);
    if (judgedOf(mixture).length >= JUDGED_MIN && events <= EVENTS_PER_SECOND_MAX && load > SLOTS) {
      return mixture;
    }
  }
}

function drawTenant(chance: Chance): MixedTenant {
  // Evenly by magnitude: there are as many from 0.3 to 2 s as from 2 to 14.
  const between = (from: number, to: number) => Math.round(from * (to / from) ** chance.next());
  const endpoints = Array.from({ length: chance.pick([1, 1, 1, 2, 3]) }, (): MixedEndpoint => {
    const fromMs = between(300, 10_000);
    const toMs = between(fromMs, Math.min(14_000, 4 * fromMs));
    const kind = chance.whole(1, 10);
    return {
      answerMs: [fromMs, toMs],
      failPercent: kind === 1 ? 30 : 0,
      limit: kind === 2 ? { perSecond: 5, burst: 5, retryAfterSeconds: 1 } : null,
    };
  });
  return { perSecond: between(4, 60), endpoints };
}

/** Five tenants, of which one is quick and four want more than there is. */
export const fiveTenants: Mixture = (
  [
    [450, 1200],
    [7000, 8000],
    [8000, 12_000],
    [5000, 11_000],
    [9000, 13_000],
  ] satisfies [number, number][]
).map((answerMs) => ({ perSecond: 16, endpoints: [plain(...answerMs)] }));

/** The same beside slow endpoints of its own tenant. */
export const oneTenant: Mixture = [
  { perSecond: 16, endpoints: [plain(450, 1200), plain(7000, 8000), plain(1500, 4000), plain(5000, 11_000)] },
];

export function describeMixture(mixture: Mixture): string {
  const judged = judgedOf(mixture);
  return mixture
    .map((tenant, index) => {
      const endpoints = tenant.endpoints.map((endpoint) => {
        const [from, to] = endpoint.answerMs.map((ms) => ms / 1000);
        const load = loadOf(endpoint, tenant).toFixed(1);
        const part = equalPartOf(endpoint, mixture).toFixed(1);
        const marks = [
          endpoint.failPercent > 0 ? `${endpoint.failPercent} % fail` : '',
          endpoint.limit === null ? '' : 'limited',
          judged.includes(endpoint) ? 'judged' : '',
        ].filter((mark) => mark !== '');
        return `${from}-${to} s (needs ${load} of ${part} slots${marks.map((mark) => `, ${mark}`).join('')})`;
      });
      return `  tenant ${index}: ${tenant.perSecond}/s to ${endpoints.join('; ')}`;
    })
    .join('\n');
}
