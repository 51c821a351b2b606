import { createHash } from 'node:crypto';
import { functions } from './functions.js';
import { lastStep } from './last-step.js';

/** Raised with each change of a function or of the last step. A lower one never replaces a higher one. */
export const EDITION = 30;

/** SHA-256 of all texts of the edition. A test compares, so that no change forgets the number. */
export const EDITION_DIGEST = '6e46675a1ed6643d48af52dfea8c5ba16f291607e48585939592b6d8b7b5adcf';

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
