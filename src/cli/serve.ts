import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type Config, readConfig } from '../platform/settings/config.js';
import { logTaken } from './log-pipe.js';
import type { Closing } from './observe.js';
import { openLog } from './open-log.js';
import { type Roles, startParts } from './start.js';

/** `end`: null until a signal comes; then the promise at whose end the process exits. */
type Signals = { readonly end: Promise<void> | null };

/** After a signal everything has ended in this time and the longest wait for requests to endpoints. */
const END_BESIDE_DRAIN_MS = 8_000;
/** After a fault of our own everything has this long to end. */
const HASTY_END_MS = 10_000;
/** A signal that has ended a program of ours reaches our own handler within this time. */
const SIGNAL_MS = 20;
/** `timeout`, npm and terminals may send a signal twice, to us and our group; a person is slower. */
const SAME_SIGNAL_MS = 500;
/** EX_SOFTWARE of sysexits.h: a fault of our own. A supervisor starts the process again. */
const EXIT_FAULT = 70;

/**
 * `hookwright start | api | daemon`: runs until SIGINT, SIGTERM or SIGHUP (its terminal was closed), then lets
 * everything under way end and exits 0.
 */
export async function serve(roles: Roles): Promise<void> {
  const config = readConfig(process.env);
  if (!roles.migrate && config.databaseUrl === undefined) {
    throw new Error('DATABASE_URL is not set: the API or the daemon alone work over a Postgres that they share.');
  }
  const log = openLog(config);
  process.stderr.on('error', () => {}); // its reader is gone: like the log, the service goes on without it
  for (const warning of config.warnings) {
    log.warn(warning);
  }
  const closings: Closing[] = [];
  const drains: (() => Promise<unknown>)[] = [];
  const signals = endOnSignals({ closings, drains, log, config });
  const start = { isOver: false };
  endOnFaults(closings, log, () => !start.isOver && signals.end !== null);
  try {
    await startParts({ roles, config, log, closings, drains, goOn: () => refuseToGoOn(signals) });
    start.isOver = true;
  } catch (error) {
    await delay(SIGNAL_MS); // Ctrl-C reaches the programs that we start as well, and may end them first
    if (signals.end !== null) {
      return signals.end; // the cause is that everything is being closed
    }
    await closeAll(closings, true);
    throw error;
  }
}

function refuseToGoOn(signals: Signals): void {
  if (signals.end !== null) {
    throw new Error('The start was broken off.');
  }
}

interface Ends {
  closings: Closing[];
  drains: readonly (() => Promise<unknown>)[];
  log: Logger;
  config: Config;
}

/** SIGTERM is a supervisor's: other processes take over meanwhile. The others come from a person, who waits. */
function endOnSignals({ closings, drains, log, config: { delivery } }: Ends): Signals {
  const taken: { end: Promise<void> | null } = { end: null };
  let takenAt = 0;
  const end = (signal: NodeJS.Signals) => {
    if (taken.end !== null) {
      if (performance.now() - takenAt > SAME_SIGNAL_MS) {
        log.warn('asked a second time: ending at once');
        process.exit(1);
      }
      return;
    }
    takenAt = performance.now();
    const again = signal === 'SIGINT' ? 'Ctrl-C again' : 'a second signal';
    const limits = `up to ${Math.ceil(delivery.drainTimeoutMs / 1_000)} s; ${again} ends at once`;
    log.info({ signal }, `ending: requests under way are finished first (${limits})`);
    setTimeout(() => {
      log.warn('not everything has ended in time: ending at once');
      process.exit(1);
    }, delivery.drainTimeoutMs + END_BESIDE_DRAIN_MS).unref();
    const drained = signal === 'SIGTERM' ? Promise.allSettled(drains.map((drain) => drain())) : Promise.resolve();
    taken.end = drained
      .then(() => closeAll(closings, false))
      .then(async () => {
        log.info('ended');
        await logTaken();
        process.exit(0);
      });
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
  return taken;
}

/**
 * After an unhandled rejection or an uncaught exception the process cannot be trusted. It stops fetching and sending,
 * and ends; its jobs are taken over by others, or by the next process.
 *
 * @param isBrokenOff whether a start that was asked to end is the cause: then it is not a fault
 */
function endOnFaults(closings: Closing[], log: Logger, isBrokenOff: () => boolean): void {
  let ending = false;
  const end = (error: unknown, kind: NodeJS.UncaughtExceptionOrigin) => {
    if (isBrokenOff()) {
      return;
    }
    const err = error instanceof Error ? error : new Error(String(error));
    log.fatal({ err, kind }, 'a fault of our own: ending');
    if (ending) {
      return;
    }
    ending = true;
    process.exitCode = EXIT_FAULT;
    setTimeout(() => process.exit(EXIT_FAULT), HASTY_END_MS);
    void closeAll(closings, true).finally(() => process.exit(EXIT_FAULT));
  };
  process.on('uncaughtException', end); // unhandled rejections come here too, unless somebody listens to them
}

async function closeAll(closings: Closing[], inHaste: boolean): Promise<void> {
  for (const close of closings.splice(0).reverse()) {
    try {
      await close(inHaste);
    } catch (error) {
      process.stderr.write(`hookwright: ${error instanceof Error ? error.message : error}\n`);
    }
  }
}
