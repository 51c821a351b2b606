import { InvalidArgumentError } from 'commander';
import { parseId } from '../../../domain/ids/id.js';

/** Numbers in options and arguments of commands: each is refused with a sentence. */

export function positiveInteger(text: string): number {
  const number = parseId(text); // numbers of tenants and keys from cell 100 on have 16 digits
  if (number === null) {
    throw new InvalidArgumentError('It must be a positive whole number.');
  }
  return number;
}

export function positive(text: string): number {
  if (!(Number(text) > 0 && Number.isFinite(Number(text)))) {
    throw new InvalidArgumentError('It must be a positive number.');
  }
  return Number(text);
}

export const notNegative = (text: string): number => (text === '0' ? 0 : positive(text));
