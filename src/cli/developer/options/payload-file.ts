import { readFileSync } from 'node:fs';

export type Json = string | number | boolean | null | undefined | Json[] | { [key: string]: Json };

/**
 * Reads a payload from a file, or from standard input (`-`).
 *
 * @returns its text as well, whose numbers and spaces JSON.parse does not keep
 * @throws Error with a sentence
 */
export function readPayload(file: string): { text: string; payload: Json } {
  const place = file === '-' ? 'Standard input' : file;
  const text = textOf(file);
  let payload: Json;
  try {
    payload = JSON.parse(text);
  } catch (error) {
    throw new Error(`${place} is not JSON: ${(error as Error).message}.`);
  }
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw new Error(`${place} is not a JSON object.`);
  }
  return { text, payload };
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new Error(`The payload cannot be read: ${(error as Error).message}.`);
  }
}
