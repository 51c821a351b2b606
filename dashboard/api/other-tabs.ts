import { isFramed } from './tab-storage';

/** How long a new tab waits for the others: they answer within some milliseconds, or there are none. */
const WAIT_MS = 200;

type Message = { asks: string } | { name: string; session: string };

/**
 * Hands what a tab has kept to tabs of the same origin that are opened beside it, as by Ctrl-click on a link: a one-time
 * link cannot be opened twice. Frames neither ask nor answer.
 *
 * @param read what this tab has kept by a name; null: nothing.
 */
export function answerOtherTabs(read: (name: string) => string | null): void {
  if (isFramed) {
    return;
  }
  const channel = new BroadcastChannel('hookwright');
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    const session = 'asks' in data ? read(data.asks) : null;
    if ('asks' in data && session !== null) {
      channel.postMessage({ name: data.asks, session } satisfies Message);
    }
  });
}

/** The value that another tab keeps under this name; null when none answers in time. */
export function askOtherTabs(name: string): Promise<string | null> {
  if (isFramed) {
    return Promise.resolve(null);
  }
  const channel = new BroadcastChannel('hookwright');
  const { promise, resolve } = Promise.withResolvers<string | null>();
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('session' in data && data.name === name) {
      resolve(data.session);
    }
  });
  channel.postMessage({ asks: name } satisfies Message);
  setTimeout(resolve, WAIT_MS, null);
  return promise.finally(() => channel.close());
}
