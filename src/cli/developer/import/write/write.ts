import { endpointsLimited } from '../../../../domain/limits/tenant-limits.js';
import { thisProgram } from '../../../../platform/node/this-program.js';
import { RefusedError } from '../../connection/ask.js';
import { type ConnectionFlags, findConnection } from '../../connection/connection.js';
import { foreseenRefusals } from '../lines/foresee.js';
import { readImportFile } from '../lines/import-file.js';
import { newWebhook } from '../lines/webhook-input.js';
import { ImportApi } from './api.js';
import type { KnownWebhook } from './differences.js';
import { missingTypes, registerTypes } from './event-types.js';
import { Report } from './report.js';
import {
  findTenants,
  type Group,
  groupsOf,
  type KnownTenant,
  makeTenant,
  nameTaken,
  newName,
  newNameOf,
  renameTenant,
  takenNames,
} from './tenants.js';
import { isOfTheLine, listWebhooks, WebhookWriter, type WriteOptions } from './webhooks.js';

interface Options extends ConnectionFlags, WriteOptions {
  registerTypes?: boolean;
}

/** Tenants that are written at the same time. The service makes the webhooks of one tenant one after the other. */
const TENANTS_AT_ONCE = 8;
const TYPES_SHOWN_MAX = 20;

const say = (line: string) => process.stdout.write(`${line}\n`);

/**
 * `hookwright import write`: makes the tenants and webhooks of a file over the API. Those that are there, by their
 * external ids, are compared. Its exit code is 0 for all, 1 when some lines were refused, 2 when nothing was done.
 */
export async function writeImport(file: string, options: Options): Promise<void> {
  const report = new Report(options.dryRun ?? false, say);
  let where = 'no service';
  try {
    const connection = findConnection(options);
    where = connection.url;
    const { webhooks, tenants, eventTypes, wrong } = readImportFile(file);
    report.expect([...webhooks, ...tenants, ...wrong].map(({ number }) => number));
    for (const { number, reason } of wrong) {
      report.line(number, 'refused', file, [reason]);
    }
    const api = new ImportApi(connection, say);
    const { missing, own } = await missingTypes(api, { webhooks, eventTypes });
    if (options.registerTypes && !options.dryRun) {
      await registerTypes(api, report, missing, eventTypes);
    } else if (missing.length > 0) {
      report.say(missingWords(missing, options.registerTypes ?? false));
    }
    const groups = groupsOf(webhooks, tenants);
    const known = await findTenants(
      api,
      groups.map(({ externalId }) => externalId),
    );
    const lacking = new Set(options.registerTypes ? own : [...own, ...missing]);
    const isNew = ({ externalId }: Group) => !known.has(externalId);
    const taken = options.dryRun ? await takenNames(api, groups.filter(isNew)) : new Set<string>();
    const run = { api, report, options, lacking, taken };
    await atOnce(TENANTS_AT_ONCE, groups, (group) => writeTenant(run, group, known.get(group.externalId)));
  } catch (error) {
    report.stopped();
    process.stderr.write(`hookwright: ${sentenceOf(error as Error)}\n`);
  }
  process.exitCode = report.end(where);
}

interface Run {
  api: ImportApi;
  report: Report;
  options: Options;
  /** Event types that the service lacks, and will lack. */
  lacking: ReadonlySet<string>;
  /** Names of new tenants that other ones have, as a dry run finds them. */
  taken: ReadonlySet<string>;
}

async function writeTenant(run: Run, group: Group, known: KnownTenant | undefined): Promise<void> {
  const { api, report, options } = run;
  if (options.dryRun && known === undefined) {
    foretellTenant(run, group);
    return;
  }
  let tenant: KnownTenant & { isNew?: boolean };
  try {
    tenant = known ?? (await makeTenant(api, group));
  } catch (error) {
    if (!isOfTheLine(error)) {
      throw error;
    }
    refuseAll(run, group, error.message);
    return;
  }
  if (tenant.isNew) {
    report.also('tenant');
  } else {
    await compareName(run, group, tenant);
  }
  for (const { number } of group.alone) {
    report.ended(number);
  }
  const there =
    tenant.isNew || group.lines.length === 0 ? new Map<string, KnownWebhook>() : await listWebhooks(api, tenant);
  const writer = new WebhookWriter(api, report, options, tenant.id);
  const places = placesIn(tenant);
  for (const numbered of group.lines) {
    const webhook = there.get(numbered.line.externalId);
    if (options.dryRun && webhook === undefined) {
      foretell(run, [numbered], places);
    } else {
      await writer.write(numbered, webhook);
    }
  }
}

function refuseAll({ report }: Run, { lines, alone }: Group, reason: string): void {
  for (const { number, line } of [...lines, ...alone]) {
    report.line(number, 'refused', line.from, [reason]);
  }
}

function foretellTenant(run: Run, group: Group): void {
  if (run.taken.has(newName(group))) {
    refuseAll(run, group, nameTaken(group));
    return;
  }
  run.report.also('tenant');
  for (const { number } of group.alone) {
    run.report.ended(number);
  }
  foretell(run, group.lines);
}

/** The places for new webhooks that the operator's limit has left in a tenant. */
interface Places {
  free: number;
  /** Why there are no more. */
  reason: string;
}

/** A new tenant has no limit yet. */
const NO_LIMIT: Places = { free: Number.POSITIVE_INFINITY, reason: '' };

const placesIn = ({ limits: { endpointsMax }, webhookCount }: KnownTenant): Places =>
  endpointsMax === null
    ? { ...NO_LIMIT }
    : { free: endpointsMax - webhookCount, reason: endpointsLimited(endpointsMax) };

/** Says whether new lines would be refused, as far as that can be said without the service. */
function foretell({ report, lacking }: Run, lines: Group['lines'], places = { ...NO_LIMIT }): void {
  for (const { number, line } of lines) {
    const unknown = line.events.filter((name) => lacking.has(name));
    const foreseen = foreseenRefusals(line);
    const reasons = [
      ...foreseen.certain,
      ...(unknown.length === 0 ? [] : [`events has types that are not registered: ${unknown.join(', ')}`]),
    ];
    const wouldBeMade = reasons.length === 0;
    if (wouldBeMade && places.free <= 0) {
      reasons.push(places.reason);
    }
    places.free -= wouldBeMade ? 1 : 0;
    const unsure = foreseen.unsure.map((reason) => `may be refused: ${reason}`);
    if (reasons.length > 0) {
      report.line(number, 'refused', line.from, [...reasons, ...unsure]);
    } else {
      const { notes } = newWebhook(line, Date.now());
      report.line(number, 'made', line.from, [...unsure, ...notes]);
    }
  }
}

async function compareName({ api, report, options }: Run, group: Group, known: KnownTenant): Promise<void> {
  const name = newNameOf(known, group);
  if (name === null) {
    return;
  }
  const change = `tenant ${group.externalId} (${known.id}): name: ${known.name} → ${name}`;
  if (!options.update || options.dryRun) {
    report.say(`${change}, ${options.update ? 'would be changed' : 'left'}`);
    return;
  }
  try {
    await renameTenant(api, known, name);
    report.say(`${change}, changed`);
  } catch (error) {
    if (!isOfTheLine(error)) {
      throw error;
    }
    report.say(`${change}, refused: ${error.message}`);
  }
}

function missingWords(names: readonly string[], isToBeRegistered: boolean): string {
  const more = names.length > TYPES_SHOWN_MAX ? ` and ${names.length - TYPES_SHOWN_MAX} more` : '';
  const listed = `${names.slice(0, TYPES_SHOWN_MAX).join(', ')}${more}`;
  return isToBeRegistered
    ? `Event types that would be registered: ${listed}.`
    : `Event types that are not registered: ${listed}. --register-types registers them.`;
}

/** Stops at the first error, once the work in hand has ended. */
async function atOnce<Item>(count: number, items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  let failure: Error | undefined;
  const next = async () => {
    for (const item of queue) {
      if (failure !== undefined) {
        return;
      }
      await work(item).catch((error: Error) => {
        failure ??= error;
      });
    }
  };
  await Promise.all(Array.from({ length: count }, next));
  if (failure !== undefined) {
    throw failure;
  }
}

/** One document has several fields, each with an error of its own: here they are one. */
function sentenceOf(error: Error): string {
  const advice = `It takes a platform key in HOOKWRIGHT_API_KEY: "${thisProgram} key create import --platform" makes one.`;
  const isForbidden = error instanceof RefusedError && /^(FORBIDDEN|UNAUTHENTICATED)$/.test(error.code);
  return isForbidden ? `${error.message.split('\n')[0]} ${advice}` : error.message;
}
