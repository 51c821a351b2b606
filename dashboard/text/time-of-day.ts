import { formatter } from './formats.js';

const TIME = /^(\d{1,2})(?:[:.]?(\d{2}))?\s*(?:([ap])\.?m\.?|uhr)?$/i;

/**
 * A time of day that a person has typed, such as "14:30", "1430", "2" or "2 pm".
 *
 * @returns hours and minutes as "14:30"; "24:00" is the end of the day. Undefined where it is none.
 */
export function timeOfDay(text: string): string | undefined {
  const [, hours = '', minutes = '00', half] = TIME.exec(text.trim()) ?? [];
  const written = Number(hours);
  const isPossible = half === undefined ? written <= 24 : written >= 1 && written <= 12;
  if (hours === '' || !isPossible || Number(minutes) > 59 || (written === 24 && minutes !== '00')) {
    return undefined;
  }
  const hour = half === undefined ? written : (written % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${minutes}`;
}

/** The same as people of a locale write it: with 24 hours or 12. */
export function shownTimeOfDay(time: string, locale: string): string {
  if (time === '24:00') {
    return time;
  }
  const options = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const;
  return formatter(Intl.DateTimeFormat, locale, options).format(new Date(`1970-01-01T${time}:00Z`));
}
