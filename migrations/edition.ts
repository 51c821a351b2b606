import { createHash } from 'node:crypto';
import { functions } from './functions.js';
import { lastStep } from './last-step.js';

/** Raised with each change of a function or of the last step. A lower one never replaces a higher one. */
export const EDITION = 11;

/** SHA-256 of all texts of the edition. A test compares, so that no change forgets the number. */
export const EDITION_DIGEST = 'b47659aa26c0b24c533fa9d5d2ec5a7d9e8ebb30caf6bf984d04f6042223cc28';

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function readEdition() {
  const text = functions();
  return {
    number: EDITION,
    functions: text,
    functionsDigest: sha256(text),
    lastStepDigest: sha256(lastStep.join('\n')),
  };
}

let read: ReturnType<typeof readEdition> | undefined;

/** SQL that makes the functions of this version, and SHA-256 of it and of the last step. Files are read once. */
export function edition() {
  read ??= readEdition();
  return read;
}
