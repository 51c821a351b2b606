import { useSyncExternalStore } from 'react';
import { serviceAheadMs } from '../api/service-time';
import { distance } from '../text/distance';
import { formatter } from '../text/formats';
import { locale } from '../text/language';

/** The time of all clocks of the page, which is the service's: one timer, once a second, only while something shows a time. */
class Clock {
  #now = Date.now();
  #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setInterval> | undefined;
  #utc = false;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#tick(), 1_000);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    };
  };

  now = (): number => this.#now + serviceAheadMs;
  utc = (): boolean => this.#utc;

  /** Shows all times in UTC, or in the person's own zone. */
  setUtc(utc: boolean): void {
    this.#utc = utc;
    this.#tick();
  }

  #tick(): void {
    this.#now = Date.now();
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

export const clock = new Clock();

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

/** `09:14` today, `25 Nov, 09:14` on another day. */
export function shortly(value: string | number | Date): string {
  const at = new Date(value);
  const zone = clock.utc() ? { timeZone: 'UTC' } : {};
  const day = (when: Date) => formatter(Intl.DateTimeFormat, 'en-CA', zone).format(when);
  const today = day(at) === day(new Date(clock.now()));
  return formatter(Intl.DateTimeFormat, locale, {
    ...zone,
    ...(today ? {} : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
  }).format(at);
}

/** `3 minutes ago`, `in 4 min`. */
export function relative(value: string | number | Date, now: number, style: 'long' | 'narrow' = 'narrow'): string {
  const away = distance(new Date(value).getTime() - now);
  const format = formatter(Intl.RelativeTimeFormat, locale, { numeric: 'auto', style });
  return format.format(away.value, away.unit);
}

/**
 * A moment: relative as text, absolute on hover and for copying.
 *
 * @param props.next it is when something happens next: once it is over, that is due, and the text is `now`.
 */
export function Time({ value, absolute: whole, next }: { value: string; absolute?: boolean; next?: boolean }) {
  const text = useClock((now) =>
    whole ? absolute(value) : relative(next ? Math.max(Date.parse(value), now) : value, now),
  );
  return (
    <time dateTime={value} title={absolute(value)} className="figures whitespace-nowrap">
      {text}
    </time>
  );
}
