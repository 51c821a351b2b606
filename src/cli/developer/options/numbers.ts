import { InvalidArgumentError } from 'commander';

/** Numbers in options and arguments of commands: each is refused with a sentence. */

export function positiveInteger(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new InvalidArgumentError('It must be a positive whole number.');
  }
  return Number(text);
}

export function positive(text: string): number {
  if (!(Number(text) > 0 && Number.isFinite(Number(text)))) {
    throw new InvalidArgumentError('It must be a positive number.');
  }
  return Number(text);
}

export const notNegative = (text: string): number => (text === '0' ? 0 : positive(text));
