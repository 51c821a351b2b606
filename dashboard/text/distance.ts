const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/**
 * A distance in time in its greatest unit, as Intl.RelativeTimeFormat takes it. What is past is cut, as an age is; what is
 * to come is rounded: a retry after 2 minutes is `in 2m` right after the failure, too.
 *
 * @param ms below 0 for what is past.
 */
export function distance(ms: number): { value: number; unit: (typeof UNITS)[number][0] } {
  const whole = ms > 0 ? Math.round : Math.trunc;
  const at = UNITS.findIndex(([, size], index) => {
    const smaller = UNITS[index + 1]?.[1] ?? 0;
    return smaller === 0 || Math.abs(whole(ms / smaller)) * smaller >= size;
  });
  const [unit, size] = UNITS[at] ?? UNITS[3];
  return { value: whole(ms / size), unit };
}
