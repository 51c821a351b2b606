import type { Ends } from './connections.js';
import type { Pace, Shape } from './copy.js';
import type { Asked } from './refusals.js';
import type { Move } from './state.js';

/** The things that all steps of a move work with. */
export interface MoverContext {
  move: Move;
  asked: Asked;
  /** The cell that it leaves. */
  from: number;
  ends: Ends;
  shapes: ReadonlyMap<string, Shape>;
  pace: Pace;
  /** Whether each end had a standby when the mover began. Null: it waits for none. */
  standbys: Readonly<Record<'source' | 'target', boolean>> | null;
  /** Aborted by Ctrl-C, or when the connection that shows that the mover lives is lost. */
  signal: AbortSignal;
  /** Writes to the operator. @param sentence with its full stop */
  say(sentence: string): void;
}
