import { randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileSentence } from './file-sentence.js';
import { makeFolder } from './make-folder.js';
import { removeStale } from './remove-stale.js';
import { lockServer } from './server-lock.js';

const RENEW_EVERY_MS = 2_000;
/** Far longer than a busy process takes to come round to it. */
const STALE_AFTER_MS = 15_000;
/** However old it looks: another machine's clock may be behind ours. */
const OBSERVED_FOR_MS_MIN = 2.5 * RENEW_EVERY_MS;
const LOOK_EVERY_MS = 100;

export interface NamespaceClaim {
  /** Whether another namespace has taken it over. */
  readonly lost: boolean;
  /** Renews it no more. Others in the namespace may; else it is stale soon. */
  leave(): void;
  /** As `leave`, once the namespace's last Postgres has ended: whoever comes need not wait until it is stale. */
  release(): void;
}

interface ClaimOptions {
  /** Called once when another namespace has taken the claim over, because this process stood still. */
  onLost?: () => void;
  /** Gets a line when there is something to wait for. */
  log?: (line: string) => void;
  /** Default: that of this process. */
  namespace?: string;
}

interface Seen {
  text: string;
  renewedAtMs: number;
}

/**
 * Says that the processes that this one can see use the data folder, and waits until nobody else does. Locks name
 * processes by pid, and in another container, or on another machine that shares a volume, the same pid is another
 * process or none: two Postgres servers would write one folder. So this claim names the namespace of pids; all
 * processes in it that use the folder renew it, and whoever cannot see them sees that.
 *
 * Within the namespace nobody waits: the other locks say who is alive.
 *
 * @throws Error with a sentence, when others use the folder, or their Postgres does, or it cannot be written
 */
export async function claimForNamespace(
  dataDir: string,
  { onLost = () => {}, log = () => {}, namespace = thisNamespace() }: ClaimOptions = {},
): Promise<NamespaceClaim> {
  const file = join(dataDir, 'namespace');
  try {
    makeFolder(dataDir);
    for (;;) {
      const seen = look(file);
      if (isOf(namespace, seen)) {
        renew(file);
        break;
      }
      if (seen !== null) {
        log('the data folder was not let go where it was used last; waiting until it is sure that it is used no more');
        if ((await untilStale(file, seen, dataDir)) === 'CHANGED') {
          continue; // it has ended, or another one has taken it over
        }
        // Nobody renews it; but a Postgres of theirs may have outlived them, or stand still with them.
        (await lockServer(dataDir, () => {})).leave();
        removeStale(file, (aside) => isSame(look(aside) ?? seen, seen));
      }
      if (write(file, textOf(namespace))) {
        break;
      }
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === undefined
      ? error
      : fileSentence(`The folder ${dataDir} cannot be used`, error);
  }
  let lost = false;
  let keptAtMs = Date.now();
  const renewing = setInterval(() => {
    const stoodStill = Date.now() - keptAtMs > STALE_AFTER_MS;
    if (keep(file, namespace, stoodStill)) {
      keptAtMs = Date.now();
    } else {
      lost = true;
      clearInterval(renewing);
      onLost();
    }
  }, RENEW_EVERY_MS).unref();
  const leave = () => clearInterval(renewing);
  return {
    get lost() {
      return lost;
    },
    leave,
    release() {
      leave();
      if (isOf(namespace, look(file))) {
        rmSync(file, { force: true });
      }
    },
  };
}

const isSame = (a: Seen, b: Seen) => a.text === b.text && a.renewedAtMs === b.renewedAtMs;
const isOf = (namespace: string, seen: Seen | null) => seen?.text.startsWith(`${namespace} `) === true;
const textOf = (namespace: string) => `${namespace} ${randomBytes(8).toString('hex')}`;

/** @returns false: it is another namespace's now, or was while this process stood still */
function keep(file: string, namespace: string, stoodStill: boolean): boolean {
  try {
    const seen = look(file);
    if (seen === null) {
      if (stoodStill) {
        return false;
      }
      write(file, textOf(namespace));
    } else if (isOf(namespace, seen)) {
      renew(file);
    } else {
      return seen.text === ''; // somebody is just writing it
    }
  } catch {
    // The disk is full, or away for a moment.
  }
  return true;
}

/** Of pids, on this machine since it was started; without /proc there is one. */
function thisNamespace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return `${boot}:${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return process.platform;
  }
}

/** @throws Error when it is renewed */
async function untilStale(file: string, first: Seen, dataDir: string): Promise<'STALE' | 'CHANGED'> {
  const ageMs = Math.max(0, Date.now() - first.renewedAtMs);
  const until = performance.now() + Math.max(OBSERVED_FOR_MS_MIN, STALE_AFTER_MS - ageMs);
  while (performance.now() < until) {
    const seen = look(file);
    if (seen?.text !== first.text) {
      return 'CHANGED';
    }
    if (seen.renewedAtMs !== first.renewedAtMs) {
      throw new Error(
        `Another Hookwright, in another container or on another machine, is using the folder ${dataDir}. ` +
          'Stop that one first, or give this one a folder of its own: DATA_DIR=<folder>.',
      );
    }
    await delay(LOOK_EVERY_MS);
  }
  return 'STALE';
}

function look(file: string): Seen | null {
  try {
    return { renewedAtMs: statSync(file).mtimeMs, text: readFileSync(file, 'utf8') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
}

function renew(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // It is gone, or another user's, whose processes renew it.
  }
}

/** Hard links, which would write it in one step, some volumes lack. @returns false: somebody was faster */
function write(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o644 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      return false;
    }
    throw error;
  }
}
