import { openConnection } from '../operations/cells/move/connections.js';
import { forgetMoved } from '../operations/cells/move/forget.js';
import { type MoveOptions, runMove } from '../operations/cells/move/move-tenant.js';
import { linesOf, routeLines } from '../operations/cells/move/route.js';
import { latestMove } from '../operations/cells/move/state.js';
import { thisProgram } from '../platform/node/this-program.js';
import { administer, administerTenant } from './administer.js';
import { readEncryptionKeys } from './encryption-keys.js';
import { otherCellUrl, withOtherCell } from './other-cell.js';
import { print } from './print.js';
import { runRoute } from './run-route.js';
import type { TenantNamed } from './tenant-named.js';

const KEEP_DAYS = 7;
const UNDER_WAY_MS = 5_000;

interface MoveCommandOptions {
  toUrlFile?: string;
  resume?: boolean;
  abort?: boolean;
  forget?: boolean;
  keep?: number;
  closedFor?: number;
  rate?: number;
  withoutStandby?: boolean;
  routeCommand?: string;
}

const say = (sentence: string) => void process.stderr.write(`${sentence}\n`);

/** `hookwright tenant move`. */
export async function moveTenantCommand(named: TenantNamed, options: MoveCommandOptions): Promise<void> {
  if (options.forget) {
    return await forgetTenant(named);
  }
  const { toUrlFile } = options;
  if (toUrlFile === undefined) {
    throw new Error('Say where the tenant goes: --to-url-file <file>, which holds the DATABASE_URL of the other cell.');
  }
  const targetUrl = await otherCellUrl(toUrlFile);
  await administerTenant(named, async (id, { config, db }) => {
    const stop = new AbortController();
    const onSignal = () => {
      say('Stopping: the tenant is opened again, unless it has moved already.');
      stop.abort(new Error('Stopped.'));
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
    let isRouted = true;
    const kind = options.resume ? 'RESUME' : options.abort ? 'ABORT' : 'MOVE';
    const lasting: MoveOptions = {
      kind,
      encryptionKeys: await readEncryptionKeys(config),
      keepDays: options.keep ?? KEEP_DAYS,
      closedFor: options.closedFor,
      rate: options.rate,
      waitsForStandbys: !options.withoutStandby,
      underWayMs: UNDER_WAY_MS,
      attemptSeconds: config.delivery.attemptTimeoutMsMax / 1000,
      signal: stop.signal,
      say,
      route: async (where) => {
        if (options.routeCommand !== undefined) {
          const fault = await runRoute(options.routeCommand, await linesOf(db.pool, id, where));
          isRouted = fault === null;
          if (fault !== null) {
            say(`The command of --route-command ${fault}. "${thisProgram} tenant route" prints its lines.`);
          }
        }
      },
    };
    try {
      const source = { url: db.url, pool: db.pool };
      const { cell, moved } = await withOtherCell(targetUrl, (pool) =>
        runMove(source, { url: targetUrl, pool }, id, lasting),
      );
      if (kind !== 'ABORT' && options.routeCommand === undefined) {
        print((await linesOf(db.pool, id, cell)).join('\n'));
      }
      if (kind === 'ABORT') {
        say(`Tenant ${id} stays here. What was copied to cell ${cell} is deleted.`);
      } else {
        say(moved === null ? `Tenant ${id} is open in cell ${cell}.` : sentenceOf(id, cell, moved));
      }
      if (!isRouted) {
        throw new Error(`The proxy does not know where tenant ${id} is: the last --route-command failed.`);
      }
    } finally {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
    }
  });
}

function sentenceOf(
  id: number,
  cell: number,
  { arrived, closedMs }: NonNullable<Awaited<ReturnType<typeof runMove>>['moved']>,
) {
  const { webhooks = 0, deliveries = 0, scheduled_events: scheduled = 0 } = arrived.rows;
  return `Tenant ${id} is open in cell ${cell}, with ${webhooks} webhooks and ${scheduled} scheduled events. It took no events for ${(closedMs / 1000).toFixed(1)} s, in which ${deliveries} deliveries that were open or new were copied.`;
}

/** `hookwright tenant move --forget`. */
async function forgetTenant(named: TenantNamed): Promise<void> {
  await administerTenant(named, async (id, { db }) => {
    const client = await openConnection(db.url);
    const move = await latestMove(client, id).finally(() => client.end());
    if (move?.state !== 'OPEN') {
      const why = move?.state === 'DONE' ? 'is erased already' : 'is not that of a tenant that has moved away';
      throw new Error(`What is here of tenant ${id} ${why}.`);
    }
    await forgetMoved(db.pool, move);
    say(`What was left here of tenant ${id} is erased. It lives in cell ${move.cell}.`);
  });
}

/** `hookwright tenant route`. */
export async function routeCommand(): Promise<void> {
  await administer(async ({ db }) => {
    for (const line of await routeLines(db.pool)) {
      print(line);
    }
  });
}
