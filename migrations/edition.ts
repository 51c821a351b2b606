import { createHash } from 'node:crypto';
import { functions } from './functions.js';
import { lastStep } from './last-step.js';

/** Raised with each change of a function or of the last step. A lower one never replaces a higher one. */
export const EDITION = 1;

/** SHA-256 of all texts of the edition. A test compares, so that no change forgets the number. */
export const EDITION_DIGEST = 'a81c7cb62f241bd954490966f2e41b6f93a2a6b4ebc30cd29dfdb3da36062afe';

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
