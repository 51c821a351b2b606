import { setTimeout as delay } from 'node:timers/promises';
import { inTransaction, openConnection } from './connections.js';
import type { MoverContext } from './context.js';
import { decide } from './decide.js';
import { StandbyLacking, waitForStandby } from './standby.js';
import { renewToken, setState } from './state.js';

const STANDBY_MS = 60_000;
/** How long the mover asks the target whether its commit has come, when the answer to it was lost. */
const DOUBT_MS = 120_000;
const BETWEEN_MS = 1_000;

/** A mover that ends here leaves the tenant as it is: only the target's answer can say where it lives. */
class InDoubt extends Error {
  override readonly name = 'InDoubt';

  constructor(cause: Error, cell: number) {
    super(
      `${cause.message} The tenant stays closed until cell ${cell} has said whether it is open there: --resume asks.`,
    );
  }
}

/**
 * Step 4b: from here on the tenant is closed until the target has said where it lives, and a standby of it would say
 * the same.
 *
 * @param route has the proxy know where the tenant is
 */
export async function commit(context: MoverContext, route: (where: number) => Promise<void>): Promise<void> {
  const { ends, move, from, standbys, say } = context;
  let failed: Error | undefined;
  try {
    if (standbys !== null) {
      await waitForStandby(ends.source, from, STANDBY_MS, standbys.source);
    }
    await ends.target.query('commit');
  } catch (error) {
    failed = error as Error;
    say(`${failed.message} Cell ${move.cell} is asked whether the tenant is open there.`);
    await ends.target.end().catch(() => {}); // a transaction that is not committed yet ends with it
  }
  if (failed === undefined && standbys === null) {
    return;
  }
  if ((await ask(context)) === 'ABORTED') {
    await goBack(context);
    await route(from);
    throw failed ?? new Error(`Cell ${move.cell} has lost the tenant by a failover.`);
  }
}

/** Opens a tenant here that never comes to the target by its token, so that it can be moved again. */
export async function goBack({ ends, move }: Pick<MoverContext, 'ends' | 'move'>): Promise<void> {
  await inTransaction(ends.source, async () => {
    await setState(ends.source, move, ['COMMITTING', 'DRAINING', 'CLOSED'], 'COPYING');
    move.token = await renewToken(ends.source, move.token);
  });
  move.state = 'COPYING';
}

/**
 * Asks the target whether the tenant is open there, over new connections until there is an answer. A standby has that
 * answer too: else a failover could take the tenant back once it is gone here.
 *
 * @throws InDoubt when there is none in time
 */
export async function ask({ ends, move, from, standbys }: MoverContext): Promise<'OPEN' | 'ABORTED'> {
  const endsAt = performance.now() + DOUBT_MS;
  for (;;) {
    try {
      const client = await openConnection(ends.targetUrl);
      try {
        const answer = await decide(client, move, from);
        if (answer === 'OPEN' && standbys !== null) {
          await waitForStandby(client, move.cell, STANDBY_MS, standbys.target);
        }
        return answer;
      } finally {
        await client.end();
      }
    } catch (error) {
      if (error instanceof StandbyLacking || performance.now() >= endsAt) {
        throw new InDoubt(error as Error, move.cell);
      }
      await delay(BETWEEN_MS);
    }
  }
}
