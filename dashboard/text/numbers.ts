import { formatter } from './formats';
import { locale } from './language';

/** `12,345`, in the person's locale. */
export function count(value: number): string {
  return formatter(Intl.NumberFormat, locale, {}).format(value);
}

/** A count that was not carried on beyond `max`: `1,000+`. */
export function countUpTo(value: number, max: number): string {
  return value >= max ? `${count(max)}+` : count(value);
}

/** The end of a long number, which tells it from its neighbours: `…748358`. */
export const endOf = (id: number): string => `${id}`.replace(/^\d+(?=\d{6})/, '…');

/** `12.3K`, where a column has no room for more. */
export function compact(value: number): string {
  return formatter(Intl.NumberFormat, locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value);
}

/** `99.95 %` of a part from 0 to 1; a dash where there is none. Never rounds up to 100 what is less. */
export function percent(part: number | null | undefined): string {
  if (part === null || part === undefined) {
    return '–';
  }
  const rounded = part < 1 ? Math.min(0.9999, part) : 1;
  return formatter(Intl.NumberFormat, locale, {
    style: 'percent',
    maximumFractionDigits: part > 0.99 ? 2 : 1,
  }).format(rounded);
}

/** `84 ms`, `1.2 s`, `3 min`, `5 h`; a dash where there is none. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) {
    return '–';
  }
  if (ms >= 7_200_000) {
    return unit(ms / 3_600_000, 'hour', 0);
  }
  if (ms >= 120_000) {
    return unit(ms / 60_000, 'minute', 0);
  }
  const [value, symbol, digits] = ms < 1_000 ? [ms, 'ms', ms < 10 ? 1 : 0] : [ms / 1_000, 's', ms < 10_000 ? 1 : 0];
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: digits }).format(value)} ${symbol}`;
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** `1.5 kB`, by thousands. */
export function bytes(value: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(1, value)) / 3));
  if (power === 0) {
    return `${count(value)} B`; // `byte` has no short form in Intl
  }
  return unit(value / 1_000 ** power, BYTE_UNITS[power] ?? 'byte', 1);
}

/** `3 h`, `3 days`. */
export function unit(
  value: number,
  name: string,
  maximumFractionDigits: number,
  unitDisplay: 'short' | 'long' = 'short',
): string {
  const options = { style: 'unit', unit: name, maximumFractionDigits, unitDisplay } as const;
  return formatter(Intl.NumberFormat, locale, options).format(value);
}
