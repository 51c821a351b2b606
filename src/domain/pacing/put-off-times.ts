import { RATE_MIN } from '../fields/delivery-fields.js';
import type { Lane } from './lanes.js';
import { PAUSE_MS_MAX, PROBE_MS_MAX } from './probes.js';
import { everyMsOf } from './request-rate.js';

/** A person waits for a test: its job runs soon, also when nobody calls it back. */
export const UNCALLED_TEST_MS = 1_000;
const UNCALLED_MS = 5_000;
const UNCALLED_TIMES = 1.5;
const UNCALLED_MS_MAX = 600_000;
/** A backlog behind a low rate may have no end: its deliveries must not all come each ten minutes, to be put off. */
const UNCALLED_RATED_MS_MAX = 3_600_000;

interface PutOff {
  lane: Lane;
  /** When it would be called back, after its endpoint has opened. */
  calledInMs: number;
  /** Whether its endpoint has a rate. */
  isRated: boolean;
}

/**
 * Milliseconds from the opening of its endpoint until the job of a delivery runs that nobody calls back, since its
 * daemon has died: some time after it would have been called.
 *
 * @param chance from 0 to 1: those beyond the limit must not all come back at once
 */
export function uncalledMs({ lane, calledInMs, isRated }: PutOff, chance: number): number {
  const ms = lane === 'TEST' ? UNCALLED_TEST_MS : UNCALLED_MS + UNCALLED_TIMES * calledInMs;
  const msMax = isRated ? UNCALLED_RATED_MS_MAX : UNCALLED_MS_MAX;
  return ms < msMax ? ms : msMax * (1 - chance / 4);
}

/** No job is put off for longer: its endpoint opens after a pause, a probe or a time of its rate. */
export const PUT_OFF_MS_MAX =
  Math.max(PAUSE_MS_MAX, PROBE_MS_MAX, everyMsOf(RATE_MIN)) + Math.max(UNCALLED_MS_MAX, UNCALLED_RATED_MS_MAX);
