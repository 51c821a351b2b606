import {
  type BrokenPath,
  brokenPaths,
  type OptionsWithPaths,
  type SchemaChange,
} from '../../domain/content/broken-paths.js';
import type { Slices } from '../../platform/concurrency/slices.js';
import type { HasPool, Statement } from '../../platform/database/database.js';
import { tenantQuery } from '../../platform/database/tenant-database.js';
import type { SentChange } from './sent-change.js';

/** A path in an option of a webhook that a new schema breaks. */
interface BrokenOption extends BrokenPath {
  tenantId: number;
  webhookId: number;
}

export interface BrokenOptions {
  /** Number of webhooks that get events of the type. */
  webhookCount: number;
  brokenOptionCount: number;
  /** The first of them, by the ids of webhooks. */
  brokenOptions: BrokenOption[];
  /** Whether all webhooks were looked at. */
  complete: boolean;
}

export const BROKEN_OPTIONS_MAX = 100;
const WEBHOOKS_AT_ONCE = 100;

const webhooksStatement: Statement = {
  name: 'webhooks_of_type',
  text: 'select webhooks, with_paths as "withPaths" from hookwright.webhooks_of_type($1)',
};

const optionsStatement: Statement = {
  name: 'read_options_with_paths',
  text: `select webhook_id as "webhookId", tenant_id as "tenantId", filter, release, shape, format, text,
                template, key_path as "keyPath"
         from hookwright.options_with_paths($1)`,
};

type Row = OptionsWithPaths & Pick<BrokenOption, 'tenantId' | 'webhookId'> & { release: string | null };

/**
 * Finds what a new schema breaks in the options of webhooks, over all tenants.
 *
 * @param sentChange to webhooks of each release
 */
export async function findBrokenOptions(
  { pool }: HasPool,
  change: SchemaChange,
  sentChange: SentChange,
  slices: Slices,
): Promise<BrokenOptions> {
  type Webhooks = { webhooks: number; withPaths: number[] };
  const [all] = await tenantQuery<Webhooks>(pool, null, webhooksStatement, [change.eventType]);
  const { webhooks, withPaths } = all!;
  const found: BrokenOptions = { webhookCount: webhooks, brokenOptionCount: 0, brokenOptions: [], complete: true };
  for (let at = 0; at < withPaths.length; at += WEBHOOKS_AT_ONCE) {
    const some = withPaths.slice(at, at + WEBHOOKS_AT_ONCE);
    for (const row of await tenantQuery<Row>(pool, null, optionsStatement, [some])) {
      if (slices.leftMs === 0) {
        return { ...found, complete: false };
      }
      const { tenantId, webhookId, ...options } = row;
      for (const paths of brokenPaths(options, change, await sentChange(options.release))) {
        note(found, { tenantId, webhookId }, paths);
        await slices.next();
      }
    }
  }
  return found;
}

function note(
  found: BrokenOptions,
  webhook: Pick<BrokenOption, 'tenantId' | 'webhookId'>,
  paths: readonly BrokenPath[],
): void {
  found.brokenOptionCount += paths.length;
  const room = BROKEN_OPTIONS_MAX - found.brokenOptions.length;
  found.brokenOptions.push(...paths.slice(0, room).map((path) => ({ ...webhook, ...path })));
}
