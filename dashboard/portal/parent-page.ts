import { type SignedOut, sessions } from '../api/session';
import { isFramed } from '../api/tab-storage';
import { currentTheme, type Theme } from '../parts/theme';

/** Messages from a framed portal to the page around it. */
type ToParent =
  | { type: 'hookwright:ready'; theme: Theme }
  | { type: 'hookwright:renew' }
  | { type: 'hookwright:refused'; issues: string[] }
  | { type: 'hookwright:height'; height: number }
  | { type: 'hookwright:place'; path: string }
  | { type: 'hookwright:opens'; failures: number }
  | { type: 'hookwright:ended'; why: SignedOut | 'failed' };

/** A message of the page around the portal, unchecked. */
type FromParent = Record<string, unknown>;

/**
 * The page that shows the portal in a frame. Until the session is known nothing is said and nothing heard; then only
 * to and from the origins that the session names.
 */
class ParentPage {
  #origins: readonly string[] = [];
  #listeners: ((message: FromParent) => void)[] = [];
  #place = '';
  #refused: string[] = [];

  /** @param listener gets the messages of the parent page */
  listen(listener: (message: FromParent) => void): void {
    this.#listeners.push(listener);
  }

  /** The first time the portal says that it is ready. @param origins those of the session */
  meet(origins: readonly string[]): void {
    const isFirst = !this.isKnown;
    this.#origins = origins;
    if (!isFramed || !isFirst || !this.isKnown) {
      return;
    }
    window.addEventListener('message', this.#hear);
    this.tell({ type: 'hookwright:ready', theme: currentTheme() });
    if (this.#refused.length > 0) {
      this.refuse(this.#refused);
    }
    if (this.#place !== '') {
      this.tell({ type: 'hookwright:place', path: this.#place });
    }
    const content = document.getElementById('root') ?? document.body;
    new ResizeObserver(() => {
      this.tell({ type: 'hookwright:height', height: Math.ceil(content.getBoundingClientRect().height) });
    }).observe(content);
    sessions.subscribe(() => {
      const state = sessions.read();
      if (state.session === null) {
        this.tell({ type: 'hookwright:ended', why: state.why });
      }
    });
  }

  /** Says what is wrong with what the parent page wants; before the session is known, as soon as it is. */
  refuse(issues: string[]): void {
    this.#refused = issues;
    this.tell({ type: 'hookwright:refused', issues });
  }

  /** Says which screen is shown, so that a page that is loaded again can open the same one. */
  showPlace(path: string): void {
    if (this.#place !== path) {
      this.#place = path;
      this.tell({ type: 'hookwright:place', path });
    }
  }

  get isKnown(): boolean {
    return this.#origins.length > 0;
  }

  tell(message: ToParent): void {
    // Where the browser says who the parent is, it is not bothered with messages for others.
    const [parent] = location.ancestorOrigins ?? [];
    const named = this.#origins.filter((origin) => origin === parent);
    for (const origin of named.length > 0 ? named : this.#origins) {
      window.parent.postMessage(message, origin);
    }
  }

  #hear = ({ source, origin, data }: MessageEvent<unknown>): void => {
    if (source === window.parent && this.#origins.includes(origin) && typeof data === 'object' && data !== null) {
      for (const listener of this.#listeners) {
        listener(data as FromParent);
      }
    }
  };
}

export const parentPage = new ParentPage();
