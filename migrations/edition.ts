import { createHash } from 'node:crypto';
import { functions } from './functions.js';
import { lastStep } from './last-step.js';

/** Raised with each change of a function or of the last step. A lower one never replaces a higher one. */
export const EDITION = 32;

/** SHA-256 of all texts of the edition. A test compares, so that no change forgets the number. */
export const EDITION_DIGEST = '03c7c3476f376c76ff0d2f8935db86ba0a7da266a66847489bd71bc236ae2f76';

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
