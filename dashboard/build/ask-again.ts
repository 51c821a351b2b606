import type { Plugin } from 'vite';

declare global {
  /** Imports a script until it comes. If it does not, the page is loaded again, then each minute; in a frame embed.js does it. */
  var askAgain: (load: () => Promise<unknown>, tries?: number) => Promise<void>;
}

/**
 * While the processes of a service are of two versions, one may send the page and another one, which lacks them, be
 * asked for its files. This script is in the page itself, so it always comes. The server allows it by its hash.
 */
function script(): void {
  const TRIES_MAX = 6;
  globalThis.askAgain = async (load, tries = 1) => {
    try {
      await load();
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      if (tries < TRIES_MAX) {
        return globalThis.askAgain(load, tries + 1);
      }
      const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
      if (window.parent !== window) {
        // The page around it may have no script that opens another link.
        const [words, button] = [document.createElement('p'), document.createElement('button')];
        words.className = 'p-6';
        button.className = 'underline';
        button.textContent = 'Load it again';
        button.onclick = () => location.reload();
        words.append('A part of this page is missing. ', button);
        document.getElementById('root')?.replaceChildren(words);
        throw error;
      }
      if (navigation?.type === 'reload') {
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      }
      location.reload();
    }
  };
  let link: HTMLLinkElement | undefined;
  const missing = ({ target }: Event) => {
    if (target instanceof HTMLScriptElement) {
      void globalThis.askAgain(() => import(target.src));
    } else if (target instanceof HTMLLinkElement && target.rel === 'stylesheet' && link === undefined) {
      link = target;
      void globalThis.askAgain(
        () =>
          new Promise((resolve, reject) => {
            const next = link!.cloneNode() as HTMLLinkElement;
            next.onload = resolve;
            next.onerror = reject;
            link!.replaceWith(next);
            link = next;
          }),
      );
    }
  };
  addEventListener('error', missing, true);
  addEventListener('load', () => removeEventListener('error', missing, true));
}

/** Puts the script into each page. */
export function askAgainScript(): Plugin {
  return {
    name: 'ask-again',
    transformIndexHtml: {
      order: 'post',
      // Before the files that may be missing, and after the declaration of the characters.
      handler: (html) => html.replace('</title>', () => `</title><script>(${script})();</script>`),
    },
  };
}
