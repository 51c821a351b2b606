/**
 * How far apart requests to an endpoint begin that limits its rate (429): one at a time may be 50 a second. The pace is
 * what the endpoint took in its last spell, from the first request until the end of the pause that it then asked for; a
 * token bucket takes just that.
 */
export interface EndpointPace {
  /** Least time between two beginnings; 0: the endpoint has named no limit lately. */
  readonly everyMs: number;
  /** Null: nothing has succeeded since the last pause. */
  readonly spell: Spell | null;
}

interface Spell {
  readonly fromMs: number;
  /** Successes, of which the last one ended then. */
  readonly goods: number;
  readonly lastMs: number;
  /** The pause that the endpoint has asked for, which ends the spell. */
  readonly pause: Pause | null;
}

interface Pause {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** A spell is what came in the last seconds, and without a longer gap. */
const SPELL_MS_MAX = 10_000;
const GAP_MS_MAX = 1_000;
/** A longer pause sets no pace: a maintenance (503) is not a limit of a rate. */
const PACED_PAUSE_MS_MAX = 5_000;
/** Each success makes the pace this much shorter, until the endpoint names its limit again: a slow one more. */
const GAIN_MIN = 0.01;
const GAIN_PER_MS = 1 / 20_000;
const PACE_MS_MIN = 1;
const PACE_MS_MAX = 10_000;

export const NO_PACE: EndpointPace = { everyMs: 0, spell: null };

export function paceAfterSuccess(
  { everyMs, spell }: EndpointPace,
  startedAtMs: number,
  endedAtMs: number,
): EndpointPace {
  if (spell?.pause && startedAtMs < spell.pause.fromMs) {
    return pacedBy({ ...spell, goods: spell.goods + 1 }, spell.pause);
  }
  const shorter = everyMs * (1 - Math.max(GAIN_MIN, everyMs * GAIN_PER_MS));
  const goesOn = spell !== null && isSame(spell, everyMs, startedAtMs, endedAtMs);
  const { fromMs, goods } = goesOn ? spell : { fromMs: startedAtMs, goods: 0 };
  return {
    everyMs: shorter < PACE_MS_MIN ? 0 : shorter,
    spell: { fromMs, goods: goods + 1, lastMs: endedAtMs, pause: null },
  };
}

export function paceAfterClosing({ everyMs, spell }: EndpointPace, nowMs: number, closedMs: number): EndpointPace {
  if (closedMs > PACED_PAUSE_MS_MAX) {
    return NO_PACE;
  }
  const pause = { fromMs: nowMs, untilMs: nowMs + closedMs };
  if (spell === null || spell.pause !== null) {
    const slower = Math.min(PACE_MS_MAX, Math.max(2 * everyMs, closedMs));
    return { everyMs: slower, spell: { fromMs: nowMs, goods: 0, lastMs: nowMs, pause } };
  }
  return pacedBy(spell, pause);
}

/** The pace of a spell that ends with this pause. Successes that were in flight then count too. */
function pacedBy(spell: Spell, pause: Pause): EndpointPace {
  const everyMs = Math.min(PACE_MS_MAX, Math.max(0, pause.untilMs - spell.fromMs) / spell.goods);
  return { everyMs, spell: { ...spell, pause } };
}

const isSame = (spell: Spell, everyMs: number, startedAtMs: number, endedAtMs: number): boolean =>
  spell.pause === null &&
  startedAtMs - spell.lastMs <= Math.max(GAP_MS_MAX, 2 * everyMs) &&
  (everyMs > 0 || endedAtMs - spell.fromMs <= SPELL_MS_MAX);
