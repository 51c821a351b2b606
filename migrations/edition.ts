import { createHash } from 'node:crypto';
import { functions } from './functions.js';
import { lastStep } from './last-step.js';

/** Raised with each change of a function or of the last step. A lower one never replaces a higher one. */
export const EDITION = 10;

/** SHA-256 of all texts of the edition. A test compares, so that no change forgets the number. */
export const EDITION_DIGEST = 'ea89606eca1c17e64f2b816936eda2fa50c6b568c2db625bd670e8e47332b6e8';

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
