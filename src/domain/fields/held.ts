/** A secret within JSON: sealed, in base64, or open, in the memory of a process alone. */
export type Held = { sealed: string } | { open: string };

/** A secret of a field. */
export interface HeldSecret {
  /** The field or the header that has it, for messages. */
  name: string;
  /** The field that its envelope is bound to: it opens under no other name. */
  sealedAs: string;
  /** A text is open, bytes are sealed. */
  value: string | Uint8Array;
  /** Other texts in which requests have the open value. */
  forms?: readonly string[];
  /** The addresses that it may go to besides the webhook's url. */
  alsoTo?: readonly string[];
}

/** Gives another form of a secret; null removes it. */
export type Replace = (secret: HeldSecret) => HeldSecret['value'] | null;

export const heldValue = (held: Held): HeldSecret['value'] =>
  'open' in held ? held.open : Buffer.from(held.sealed, 'base64');

export const heldOf = (value: HeldSecret['value']): Held =>
  typeof value === 'string' ? { open: value } : { sealed: Buffer.from(value).toString('base64') };
