import { Observable } from './observable';
import { sessions } from './session';
import { isFramed } from './tab-storage';

/** How long a frame waits before it loads its page again, by how often that failed; then the last one each time. */
const WAITS_MS = [0, 5_000, 40_000, 60_000];
/** At top level the first reload is up to the person. */
const TOP_LEVEL_WAIT_MS = 60_000;
/** A page that had all of its scripts for this long does not count what failed before. */
const STOOD_MS = 120_000;
/** A page that nobody sees waits until somebody does. */
const HIDDEN_MS = 1_000;

/** Loads a page that lacks a script again: in a frame each time costs a session, so it waits longer and longer. */
class PageReload extends Observable {
  #failures = isReload() ? 1 : 0;
  /** When a script was missing, or this page began. */
  #failedMs = Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #load = (): void => location.reload();

  /** Whether the page is to be loaded again, now or later. */
  isWanted = false;

  /** @param load takes the place of `location.reload` */
  loadBy(load: () => void): void {
    this.#load = load;
  }

  /** @param failures how often the page was loaded again just before, and lacked a script */
  continueAfter(failures: number): void {
    this.#failures = failures;
  }

  /** How often in a row the page was loaded again in vain. */
  failures = (): number => this.#failures;

  /** Whether the page is loaded again without the person: not where they would have to sign in again. */
  get isAutomatic(): boolean {
    return isFramed || (this.#failures > 0 && sessions.isKept);
  }

  /** A screen lacks a script. @returns `stop` */
  start = (): (() => void) => {
    if (Date.now() - this.#failedMs > STOOD_MS) {
      this.#failures = 0;
    }
    this.isWanted = true;
    this.#fail(this.#failures);
    if (this.isAutomatic) {
      this.#plan(isFramed ? waitMs(this.#failures) : TOP_LEVEL_WAIT_MS, this.now);
    }
    return this.stop;
  };

  /** The person has left the screen. */
  stop = (): void => {
    clearTimeout(this.#timer);
    this.isWanted = false;
  };

  /** Loads the page again at once. In a frame the link for that may not come: then it is asked for again. */
  now = (): void => {
    clearTimeout(this.#timer);
    this.isWanted = true;
    this.#load();
    if (isFramed) {
      const failures = this.#failures + 1;
      this.#plan(waitMs(failures), () => {
        this.#fail(failures);
        this.now();
      });
    }
  };

  #fail(failures: number): void {
    this.#failures = failures;
    this.#failedMs = Date.now();
    this.changed();
  }

  #plan(afterMs: number, work: () => void): void {
    const unlessHidden = () => (document.hidden ? this.#plan(HIDDEN_MS, work) : work());
    this.#timer = setTimeout(unlessHidden, afterMs);
  }
}

const waitMs = (failures: number): number => WAITS_MS[Math.min(failures, WAITS_MS.length - 1)]!;

function isReload(): boolean {
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return navigation?.type === 'reload';
}

export const pageReload = new PageReload();
