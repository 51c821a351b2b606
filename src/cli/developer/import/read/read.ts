import { foreseenRefusals } from '../lines/foresee.js';
import { requireNoFile, writeImportFile } from '../lines/import-file.js';
import { isWebhook, type Line, printable, readLine } from '../lines/line.js';
import type { Found, Reading, ReadOptions } from './reading.js';

/** Exit codes, as those of `hookwright import write`. */
const SOME_REFUSED = 1;
const NOTHING_DONE = 2;

const say = (line: string) => process.stdout.write(`${line}\n`);

/** The findings of a reader, in the order of the file. */
interface Gathered {
  lines: Line[];
  tenants: Set<string>;
  refused: number;
  forms: Record<string, object>;
}

/**
 * `hookwright import read`: writes what a former system has as an import file, and says what could not be brought
 * along. The file is written at the end, so a reader that fails leaves none.
 */
export async function readInto<Options extends ReadOptions>(
  options: Options,
  reading: (options: Options) => Reading,
): Promise<void> {
  try {
    requireNoFile(options.out);
    const gathered: Gathered = { lines: [], tenants: new Set(), refused: 0, forms: {} };
    for await (const found of reading(options)) {
      take(gathered, found, options);
    }
    requireSomething(gathered, options);
    await writeImportFile(options.out, gathered.lines);
    summary(gathered, options.out).forEach(say);
    process.exitCode = gathered.refused > 0 ? SOME_REFUSED : 0;
  } catch (error) {
    process.stderr.write(`hookwright: ${(error as Error).message}\n`);
    process.exitCode = NOTHING_DONE;
  }
}

/** @throws Error with a sentence */
function requireSomething({ lines, tenants, refused }: Gathered, { only }: ReadOptions): void {
  if (only !== undefined && tenants.size + refused === 0) {
    throw new Error(`No tenant there has an id that --only names: ${only.map(printable).join(', ')}.`);
  }
  if (lines.length === 0) {
    throw new Error('There is nothing to bring along.');
  }
  for (const name of (only ?? []).filter((one) => !tenants.has(one))) {
    say(`--only ${printable(name)}: the file has nothing of it.`);
  }
}

function take(gathered: Gathered, found: Found, { compat }: ReadOptions): void {
  if ('form' in found) {
    gathered.forms[found.form.name] = found.form.form;
    return;
  }
  if ('leftOut' in found) {
    gathered.refused += 1;
    say(printable(`${found.leftOut.from}: left out: it ${found.leftOut.reason}`));
    return;
  }
  const written = writtenOf(found, compat);
  const read = readLine(JSON.stringify(written));
  if ('problems' in read) {
    gathered.refused += 1;
    say(printable(`${written.from}: left out: ${read.problems.join('; ')}`));
    return;
  }
  gathered.lines.push(read.line);
  if ('eventType' in read.line) {
    return;
  }
  gathered.tenants.add(read.line.tenant.externalId);
  if (!isWebhook(read.line)) {
    return;
  }
  const { certain, unsure } = foreseenRefusals(read.line);
  gathered.refused += certain.length + unsure.length > 0 ? 1 : 0;
  const refusals = [
    ...certain.map((refusal) => `would be refused: ${refusal}`),
    ...unsure.map((refusal) => `may be refused: ${refusal}`),
  ];
  for (const sentence of [...read.line.notes, ...refusals]) {
    say(printable(`${written.from}: ${sentence}`));
  }
}

function writtenOf(found: Exclude<Found, { form: unknown } | { leftOut: unknown }>, compat: string | undefined) {
  if ('eventType' in found || 'tenant' in found) {
    return 'eventType' in found ? found.eventType : found.tenant;
  }
  const line: { from: string } & object = 'row' in found ? found.row : found.webhook;
  return 'url' in line ? withCompat(line, compat) : line;
}

const withCompat = <Line extends { from: string }>(line: Line, compat: string | undefined): Line =>
  compat === undefined ? line : { ...line, compat: compat === 'none' ? null : compat };

function summary({ lines, tenants, forms }: Gathered, file: string): string[] {
  const webhooks = lines.filter(isWebhook);
  const types = lines.filter((line) => 'eventType' in line).length;
  const withWebhooks = new Set(webhooks.map(({ tenant }) => tenant.externalId)).size;
  const counted = (count: number, noun: string, more = '') => `${count} ${noun}${count === 1 ? '' : 's'}${more}`;
  const parts = [
    `${counted(webhooks.length, 'webhook')} of ${counted(withWebhooks, 'tenant')}`,
    ...(tenants.size === withWebhooks ? [] : [counted(tenants.size - withWebhooks, 'tenant', ' without webhooks')]),
    ...(types === 0 ? [] : [counted(types, 'event type')]),
  ];
  return [
    `${file} has ${parts.join(', and ')}.`,
    'Secrets are in it, in the clear. Only you can read it: delete it after the import.',
    ...(Object.keys(forms).length === 0
      ? []
      : ['Put this into the file of SIGNATURE_FORMS before the import:', JSON.stringify(forms, null, 2)]),
  ];
}
