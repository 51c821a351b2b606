import { optionName } from '../../src/domain/fields/field';
import { duration, unit } from '../text/numbers';

/** How an endpoint is called, as the API has it. */
export interface Pace {
  timeoutMs: number;
  retryDelaysSeconds: readonly number[];
  recovery: 'MANUAL' | 'AUTOMATIC';
  ratePerSecond?: number | null | undefined;
  concurrencyMax: number;
  /** The values that are set here. */
  own: readonly string[];
}

/** How a form has it. An empty text is an inherited value. */
export interface PaceTexts {
  timeout: string;
  retries: 'INHERITED' | 'ONCE' | 'LIST';
  /** As `5s 2m 1h`, if there is a list. */
  delays: string;
  recovery: 'INHERITED' | Pace['recovery'];
  rate: string;
  concurrency: string;
}

/** Delays that fill the list: those of the contract, and two others that people ask for. */
export const PRESETS = {
  CONTRACT: [120, 240, 480, 960, 1_920],
  QUICK: [5, 15, 30, 60, 120, 300, 600],
  PATIENT: [300, 900, 3_600, 10_800, 28_800, 43_200, 82_800, 86_400],
} as const;

const UNITS = { d: 86_400, h: 3_600, m: 60, s: 1 } as const;

/** `5s 2m 1h`. */
export const delaysText = (seconds: readonly number[]): string =>
  seconds
    .map((delay) => {
      const [name, size] = Object.entries(UNITS).find(([, one]) => delay >= one && delay % one === 0) ?? ['s', 1];
      return `${delay / size}${name}`;
    })
    .join(' ');

const DELAY = /^(\d+(?:\.\d+)?)(s|m|min|h|d)?$/i;

/** @returns null: the text is not a list of delays */
export function delaysIn(text: string): number[] | null {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  const delays = parts.map((part) => {
    const [, number, name = 's'] = DELAY.exec(part) ?? [];
    return number === undefined ? null : Number(number) * UNITS[name[0]!.toLowerCase() as keyof typeof UNITS];
  });
  return delays.includes(null) ? null : (delays as number[]);
}

/** The form of an endpoint that inherits all. */
export const ALL_INHERITED: PaceTexts = {
  timeout: '',
  retries: 'INHERITED',
  delays: '',
  recovery: 'INHERITED',
  rate: '',
  concurrency: '',
};

export function textsOf(pace: Pace): PaceTexts {
  const { timeoutMs, retryDelaysSeconds, ratePerSecond, concurrencyMax, recovery, own } = pace;
  const isOwn = (name: keyof Pace) => own.includes(optionName(name));
  const ownRetries = retryDelaysSeconds.length === 0 ? 'ONCE' : 'LIST';
  return {
    timeout: isOwn('timeoutMs') ? String(timeoutMs / 1_000) : '',
    retries: isOwn('retryDelaysSeconds') ? ownRetries : 'INHERITED',
    delays: delaysText(retryDelaysSeconds),
    recovery: isOwn('recovery') ? recovery : 'INHERITED',
    rate: isOwn('ratePerSecond') ? String(ratePerSecond ?? '') : '',
    concurrency: isOwn('concurrencyMax') ? String(concurrencyMax) : '',
  };
}

/** The list of a form; null: it is inherited, or malformed. */
export const listOf = ({ retries, delays }: PaceTexts): number[] | null =>
  retries === 'ONCE' ? [] : retries === 'LIST' ? delaysIn(delays) : null;

/** The change, for an input of the API. @param own the values that were set before */
export function changeOf(texts: PaceTexts, own: readonly string[]): Record<string, unknown> {
  const number = (text: string) => (text.trim() === '' ? null : Number(text.replace(',', '.')));
  const timeout = number(texts.timeout);
  const values: Record<string, unknown> = {
    timeoutMs: timeout === null ? null : Math.round(timeout * 1_000),
    retryDelaysSeconds: listOf(texts),
    recovery: texts.recovery === 'INHERITED' ? null : texts.recovery,
    ratePerSecond: number(texts.rate),
    concurrencyMax: number(texts.concurrency),
  };
  const reset = Object.keys(values)
    .filter((name) => values[name] === null)
    .map(optionName)
    .filter((name) => own.includes(name));
  const set = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
  return { ...set, ...(reset.length === 0 ? {} : { reset }) };
}

/** Whether a form may be sent: the service judges the rest. */
export const isReady = (texts: PaceTexts): boolean =>
  (texts.retries !== 'LIST' || (listOf(texts)?.length ?? 0) > 0) &&
  [texts.timeout, texts.rate, texts.concurrency].every((text) => !Number.isNaN(Number(text.replace(',', '.'))));

const TWO_DAYS_MS = 172_800_000;

/** `62 min`, `3 days`. */
export function span(seconds: number): string {
  const ms = seconds * 1_000;
  return ms < TWO_DAYS_MS ? duration(ms) : unit(ms / 86_400_000, 'day', 0, 'long');
}

export const totalOf = (delays: readonly number[]): number => delays.reduce((sum, delay) => sum + delay, 0);
