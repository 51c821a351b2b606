import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type EventTypeLine, isWebhook, readLine, type TenantLine, type WebhookLine } from './line.js';

const OWNER_ONLY = 0o600;

/** A line of the file, by its number from 1. */
export interface Numbered<Line> {
  number: number;
  line: Line;
}

interface ImportFile {
  webhooks: readonly Numbered<WebhookLine>[];
  /** Tenants without webhooks. */
  tenants: readonly Numbered<TenantLine>[];
  eventTypes: readonly Numbered<EventTypeLine>[];
  /** Lines that nothing can be made of, each with a sentence without values. */
  wrong: readonly { number: number; reason: string }[];
}

/**
 * Reads an import file.
 *
 * @param file its path, or `-` for standard input
 * @throws Error with a sentence when it cannot be read, or has no line
 */
export function readImportFile(file: string): ImportFile {
  const webhooks: Numbered<WebhookLine>[] = [];
  const tenants: Numbered<TenantLine>[] = [];
  const eventTypes: Numbered<EventTypeLine>[] = [];
  const wrong: { number: number; reason: string }[] = [];
  const first = new Map<string, number>();
  textOf(file)
    .split('\n')
    .forEach((text, index) => {
      const number = index + 1;
      const read = text.trim() === '' ? null : readLine(text);
      if (read === null) {
        return;
      }
      if ('problems' in read) {
        wrong.push({ number, reason: read.problems.join('; ') });
      } else if ('eventType' in read.line) {
        eventTypes.push({ number, line: read.line });
      } else if (!isWebhook(read.line)) {
        tenants.push({ number, line: read.line });
      } else {
        const key = JSON.stringify([read.line.tenant.externalId, read.line.externalId]);
        const before = first.get(key);
        if (before === undefined) {
          first.set(key, number);
          webhooks.push({ number, line: read.line });
        } else {
          wrong.push({ number, reason: `has the tenant and external id of line ${before}` });
        }
      }
    });
  if (webhooks.length + tenants.length + eventTypes.length + wrong.length === 0) {
    throw new Error(`${file} has no lines.`);
  }
  return { webhooks, tenants, eventTypes, wrong };
}

function textOf(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

/** @throws Error with a sentence */
export function requireNoFile(file: string): void {
  if (existsSync(file)) {
    throw new Error(`${file} is there already: remove it, or name another file with --out.`);
  }
}

/**
 * Writes an import file, for its owner's eyes: it has secrets. A file that is there stays: its mode may be another one.
 *
 * @throws Error with a sentence
 */
export async function writeImportFile(file: string, lines: readonly object[]): Promise<void> {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  try {
    await writeFile(file, text, { mode: OWNER_ONLY, flag: 'wx' });
  } catch (error) {
    requireNoFile(file);
    throw new Error(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`);
  }
}
