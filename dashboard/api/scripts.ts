/**
 * The scripts of a page that come later than its first screen. After an upgrade of the service those of the version
 * before are gone, so all of them are fetched in the background, and a page that stays open does not need them again.
 */

/** A script did not come, although it was asked for again: the service was upgraded, or the network is away. */
export class ScriptMissing extends Error {}

const AGAIN_MS = [500, 2_000];
/** The page is still when it has loaded nothing for so long. */
const STILL_MS = 2_000;

type Load = () => Promise<unknown>;

const all = new Set<Load>();

/**
 * An import that is repeated where it fails.
 *
 * @returns imports the script; its promise fails with ScriptMissing
 */
export function laterScript<Module>(load: () => Promise<Module>): () => Promise<Module> {
  const loadSurely = async (): Promise<Module> => {
    for (const waitMs of AGAIN_MS) {
      try {
        return await load();
      } catch {
        await passed(waitMs);
      }
    }
    return load().catch((cause: unknown) => {
      throw new ScriptMissing(String(cause));
    });
  };
  all.add(loadSurely);
  return loadSurely;
}

/** Fetches all scripts, one after the other, and the fonts, once the page is still. */
export async function fetchLaterScripts(): Promise<void> {
  for (let before = -1, now = resources(); before !== now; now = resources()) {
    before = now;
    await passed(STILL_MS);
  }
  for (const load of all) {
    await new Promise<void>((resolve) => {
      (window.requestIdleCallback ?? setTimeout)(() => resolve());
    });
    await load().catch(() => {}); // it is asked for again when it is wanted
  }
  await Promise.allSettled([...document.fonts].map((font) => font.load()));
}

const resources = () => performance.getEntriesByType('resource').length;
const passed = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
