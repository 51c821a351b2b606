const TIMESTAMP = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

/**
 * ISO 8601 in UTC with a numeric offset, in whole seconds: `2026-01-31T09:30:00+00:00` (docs/interface.md, "A
 * webhook"), never `Z`, which clients need not understand.
 */
export function formatTimestamp(date: Date): string {
  return `${date.toISOString().slice(0, -'.000Z'.length)}+00:00`;
}

/** Reads an ISO 8601 date-time with seconds and an offset or `Z`; null for other texts and days that do not exist. */
export function parseTimestamp(text: string): Date | null {
  const [, local, fraction = '', sign, hours = '0', minutes = '0'] = TIMESTAMP.exec(text) ?? [];
  if (local === undefined) {
    return null;
  }
  const asUtc = new Date(`${local}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  // Date rolls 31 February and 24:00 over to the next day; only an exact round trip exists in the calendar.
  if (Number.isNaN(asUtc.getTime()) || !asUtc.toISOString().startsWith(local)) {
    return null;
  }
  const offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  return new Date(asUtc.getTime() - offsetMinutes * 60_000);
}
