import { createHash } from 'node:crypto';
import { functions } from './functions.js';
import { lastStep } from './last-step.js';

/** Raised with each change of a function or of the last step. A lower one never replaces a higher one. */
export const EDITION = 5;

/** SHA-256 of all texts of the edition. A test compares, so that no change forgets the number. */
export const EDITION_DIGEST = '68081fc6777c32b4e010199d5ff67e23bee7acf01fe03ffe3bb66184f85c2f29';

interface Edition {
  number: number;
  /** SQL that makes all functions, and its SHA-256. */
  functions: string;
  functionsDigest: string;
  /** SHA-256 of the last step. */
  lastStepDigest: string;
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let read: Edition | undefined;

/** The functions of this version. Their files are read once. */
export function edition(): Edition {
  if (read === undefined) {
    const text = functions();
    read = {
      number: EDITION,
      functions: text,
      functionsDigest: sha256(text),
      lastStepDigest: sha256(lastStep.join('\n')),
    };
  }
  return read;
}
