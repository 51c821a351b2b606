import { z } from 'zod';
import { webhookFields } from '../../../../domain/fields/webhook-fields.js';
import { canonicalJson } from '../../../../domain/text/canonical-json.js';

/** Seconds, or a duration of Go such as `1m30s`. */
export const duration = z.union([z.number(), z.string()]).nullish();

const UNITS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

/** @returns 0 for nothing */
export function secondsOf(given: string | number | null | undefined): number {
  if (typeof given !== 'string') {
    return given ?? 0;
  }
  const parts = [...given.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0);
}

/** How a subscription is sent again. */
export const retryConfig = z
  .object({
    type: z.string().nullish(),
    duration,
    interval_seconds: z.number().nullish(),
    retry_count: z.number().nullish(),
  })
  .nullish();
export type RetryConfig = z.infer<typeof retryConfig>;

const { countMax, secondsMax } = webhookFields.delivery.fields.retryDelaysSeconds;
/** Convoy's own longest delay, where each is twice the one before. */
const DOUBLED_SECONDS_MAX = 7_200;

/** The delays of one webhook by the subscriptions of its endpoint, which may each have their own. */
export function retriesOf(configs: readonly RetryConfig[]): { retryDelaysSeconds: number[] | null; notes: string[] } {
  const all = configs.map(delaysOf);
  if (new Set(all.map(canonicalJson)).size > 1) {
    return {
      retryDelaysSeconds: null,
      notes: ["its subscriptions are sent again in different ways: here the service's own delays hold"],
    };
  }
  const delays = all[0] ?? null;
  const isLong = delays !== null && delays.length > countMax;
  return {
    retryDelaysSeconds: delays?.slice(0, countMax) ?? null,
    notes: isLong ? [`it was sent again ${delays.length} times: here it is ${countMax} times`] : [],
  };
}

function delaysOf(config: RetryConfig): number[] | null {
  const { type, retry_count: count } = config ?? {};
  const seconds = secondsOf(config?.duration) || (config?.interval_seconds ?? 0);
  if (!count || seconds <= 0) {
    return null;
  }
  const isDoubled = type === 'exponential';
  return Array.from({ length: Math.min(count, COUNTED_MAX) }, (_, nth) => {
    const delay = isDoubled ? Math.min(seconds * 2 ** nth, DOUBLED_SECONDS_MAX) : seconds;
    return Math.min(Math.max(1, Math.round(delay)), secondsMax);
  });
}

const COUNTED_MAX = 1_000;
