import { createHash } from 'node:crypto';
import { functions } from './functions.js';
import { lastStep } from './last-step.js';

/** Raised with each change of a function or of the last step. A lower one never replaces a higher one. */
export const EDITION = 31;

/** SHA-256 of all texts of the edition. A test compares, so that no change forgets the number. */
export const EDITION_DIGEST = '0135f508b510c355ee738dcbac800b4b5aea9b34b28780284da89e32911526cf';

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
