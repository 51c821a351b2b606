import { foreseenRefusals } from '../lines/foresee.js';
import { writeImportFile } from '../lines/import-file.js';
import { type EventTypeLine, readLine, type WebhookLine } from '../lines/line.js';
import type { Found, Reading, ReadOptions } from './reading.js';

/** Exit codes, as those of `hookwright import write`. */
const SOME_REFUSED = 1;
const NOTHING_DONE = 2;

const say = (line: string) => process.stdout.write(`${line}\n`);

/** The findings of a reader, in the order of the file. */
interface Gathered {
  lines: (WebhookLine | EventTypeLine)[];
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
    const gathered: Gathered = { lines: [], tenants: new Set(), refused: 0, forms: {} };
    for await (const found of reading(options)) {
      take(gathered, found, options);
    }
    if (gathered.lines.length === 0) {
      throw new Error('There is nothing to bring along.');
    }
    await writeImportFile(options.out, gathered.lines);
    summary(gathered, options.out).forEach(say);
    process.exitCode = gathered.refused > 0 ? SOME_REFUSED : 0;
  } catch (error) {
    process.stderr.write(`hookwright: ${(error as Error).message}\n`);
    process.exitCode = NOTHING_DONE;
  }
}

function take(gathered: Gathered, found: Found, { compat }: ReadOptions): void {
  if ('form' in found) {
    gathered.forms[found.form.name] = found.form.form;
    return;
  }
  if ('leftOut' in found) {
    gathered.refused += 1;
    say(`${found.leftOut.from}: left out: it ${found.leftOut.reason}`);
    return;
  }
  const written =
    'eventType' in found ? found.eventType : withCompat('row' in found ? found.row : found.webhook, compat);
  const read = readLine(JSON.stringify(written));
  if ('problems' in read) {
    gathered.refused += 1;
    say(`${written.from}: left out: ${read.problems.join('; ')}`);
    return;
  }
  gathered.lines.push(read.line);
  if ('eventType' in read.line) {
    return;
  }
  gathered.tenants.add(read.line.tenant.externalId);
  const refusals = foreseenRefusals(read.line);
  gathered.refused += refusals.length > 0 ? 1 : 0;
  for (const sentence of [...read.line.notes, ...refusals.map((refusal) => `would be refused: ${refusal}`)]) {
    say(`${written.from}: ${sentence}`);
  }
}

const withCompat = <Line extends { from: string }>(line: Line, compat: string | undefined): Line =>
  compat === undefined ? line : { ...line, compat: compat === 'none' ? null : compat };

function summary({ lines, tenants, forms }: Gathered, file: string): string[] {
  const webhooks = lines.filter((line) => !('eventType' in line)).length;
  const types = lines.length - webhooks;
  const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
  const beside = types === 0 ? '' : `, and ${counted(types, 'event type')}`;
  return [
    `${file} has ${counted(webhooks, 'webhook')} of ${counted(tenants.size, 'tenant')}${beside}.`,
    'Secrets are in it, in the clear. Only you can read it: delete it after the import.',
    ...(Object.keys(forms).length === 0
      ? []
      : ['Put this into the file of SIGNATURE_FORMS before the import:', JSON.stringify(forms, null, 2)]),
  ];
}
