import { useSyncExternalStore } from 'react';
import { distance } from '../text/distance';
import { formatter } from '../text/formats';
import { locale } from '../text/language';
import { RANGES } from '../text/moments';
import { clock } from './clock';

const CLOCK_FROM_MS = 6 * 3_600_000;

/** Renders again when the text that `read` makes of the time has changed, at most once a second. */
export function useClock<T>(read: (now: number) => T): T {
  return useSyncExternalStore(clock.subscribe, () => read(clock.now()));
}

/** `25 Nov 2026, 09:14:03 UTC` in the person's locale, and zone unless UTC is switched on. */
export function absolute(value: string | number | Date): string {
  return formatter(Intl.DateTimeFormat, locale, {
    dateStyle: 'medium',
    timeStyle: 'medium',
    ...(clock.utc() ? { timeZone: 'UTC' } : {}),
  })
    .format(new Date(value))
    .concat(clock.utc() ? ' UTC' : '');
}

/** `2026-11-25`, in the zone that times are shown in. */
export function dayOf(value: string | number | Date): string {
  const zone = clock.utc() ? { timeZone: 'UTC' } : {};
  return formatter(Intl.DateTimeFormat, 'en-CA', zone).format(new Date(value));
}

/** `09:14` today, `25 Nov, 09:14` on another day. */
export function shortly(value: string | number | Date): string {
  const at = new Date(value);
  const zone = clock.utc() ? { timeZone: 'UTC' } : {};
  const today = dayOf(at) === dayOf(clock.now());
  return formatter(Intl.DateTimeFormat, locale, {
    ...zone,
    ...(today ? {} : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
}

/**
 * A moment on the axis of a chart, as short as it can be: `09:14`, and the day alone at midnight, or where the axis is
 * longer than two days.
 */
export function axisMoment(value: number, lengthMs: number): string {
  const zone = clock.utc() ? { timeZone: 'UTC' } : {};
  const isMidnight = dayOf(value) !== dayOf(value - 1);
  return formatter(
    Intl.DateTimeFormat,
    locale,
    isMidnight || lengthMs > 2 * RANGES['24h']
      ? { ...zone, day: 'numeric', month: 'short' }
      : { ...zone, hour: '2-digit', minute: '2-digit' },
  ).format(value);
}

/** `3m ago`, `in 4m`; in German `vor 3 Min.`, whose narrow form has letters that nobody knows. `long`: `3 minutes ago`. */
export function relative(value: string | number | Date, now: number, style?: 'long'): string {
  const away = distance(new Date(value).getTime() - now);
  const brief = locale.startsWith('de') ? 'short' : 'narrow';
  const format = formatter(Intl.RelativeTimeFormat, locale, { numeric: 'auto', style: style ?? brief });
  return format.format(away.value, away.unit);
}

interface TimeProps {
  value: string;
  absolute?: boolean;
  next?: boolean;
  row?: boolean;
}

/**
 * A moment: relative as text, absolute on hover and for copying.
 *
 * @param props.next it is when something happens next: once it is over, that is due, and the text is `now`.
 * @param props.row it stands beside those of other rows: from six hours on it is the time of day, which differs there.
 */
export function Time({ value, absolute: whole, next, row }: TimeProps) {
  const text = useClock((now) => {
    if (whole) {
      return absolute(value);
    }
    return row && now - Date.parse(value) >= CLOCK_FROM_MS
      ? shortly(value)
      : relative(next ? Math.max(Date.parse(value), now) : value, now);
  });
  return (
    <time dateTime={value} title={absolute(value)} className="figures whitespace-nowrap">
      {text}
    </time>
  );
}
