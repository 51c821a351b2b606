import type { IncomingHttpHeaders } from 'node:http';

/** A limit for headers as they come, and for their JSON, which is stored. */
export const HEADER_BYTES_MAX = 16_384;

/**
 * The headers, as many as fit when they are written down: undici counts names and values alone, so thousands of tiny
 * ones get past its limit, and quotes and letters beyond ASCII take twice the room.
 */
export function headersToKeep(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  if (Buffer.byteLength(JSON.stringify(headers)) <= HEADER_BYTES_MAX) {
    return headers as Record<string, string | string[]>;
  }
  let room = HEADER_BYTES_MAX;
  const kept: [string, string | string[]][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) {
      continue;
    }
    room -= Buffer.byteLength(JSON.stringify([name, value]));
    if (room < 0) {
      break;
    }
    kept.push([name, value]);
  }
  // Not by assignment: a receiver may send a header called __proto__.
  return Object.fromEntries(kept);
}
