import { clock } from '../../parts/clock.js';

interface Entry {
  action: string;
  actor: string;
  apiKeyId?: string | null;
  createdAt: string;
}

/** A line of the log: an entry, or the latest of several that say the same. */
export interface Line<Row> {
  entry: Row;
  times: number;
}

/**
 * Makes one line of the portal links that a key has made on one day: a page that embeds the portal makes one for each
 * visit.
 *
 * @param rows the latest first
 * @param dayOf the day of a moment, in the zone that times are shown in
 */
export function groupVisits<Row extends Entry>(rows: readonly Row[], dayOf: (moment: string) => string): Line<Row>[] {
  const lines: Line<Row>[] = [];
  const visits = new Map<string, Line<Row>>();
  for (const entry of rows) {
    const key = `${dayOf(entry.createdAt)} ${entry.actor} ${entry.apiKeyId}`;
    const line = entry.action === 'PORTAL_SESSION_CREATED' ? visits.get(key) : undefined;
    if (line !== undefined) {
      line.times += 1;
      continue;
    }
    const made = { entry, times: 1 };
    lines.push(made);
    if (entry.action === 'PORTAL_SESSION_CREATED') {
      visits.set(key, made);
    }
  }
  return lines;
}

/** The beginning and the end of the day of a moment, in ISO 8601. */
export function dayAround(moment: string): [since: string, until: string] {
  const begin = new Date(moment);
  const end = new Date(moment);
  if (clock.utc()) {
    begin.setUTCHours(0, 0, 0, 0);
    end.setUTCHours(24, 0, 0, 0);
  } else {
    begin.setHours(0, 0, 0, 0);
    end.setHours(24, 0, 0, 0);
  }
  return [begin.toISOString(), end.toISOString()];
}
