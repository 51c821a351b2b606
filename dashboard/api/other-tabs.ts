import { isFramed } from './tab-storage';

/** How long a new tab waits for the others: they answer within some milliseconds, or there are none. */
const WAIT_MS = 200;
/** The same where the browser knows that one can answer: it is busy. */
const WAIT_FOR_BUSY_MS = 5_000;

type Message<Ended> = { asks: string } | { name: string; session: string } | { ended: Ended };

const NAME = 'hookwright';

/**
 * Hands what a tab has kept to tabs of the same origin that are opened beside it, as by Ctrl-click on a link: a one-time
 * link cannot be opened twice. And hears from them that a session has ended. Frames neither ask nor answer.
 *
 * @param read what this tab has kept by a name; null: nothing.
 * @returns tells the other tabs that a session has ended
 */
export function answerOtherTabs<Ended>(
  read: (name: string) => string | null,
  hear: (ended: Ended) => void,
): (ended: Ended) => void {
  if (isFramed) {
    return () => {};
  }
  const channel = new BroadcastChannel(NAME);
  channel.addEventListener('message', ({ data }: MessageEvent<Message<Ended>>) => {
    if ('ended' in data) {
      hear(data.ended);
      return;
    }
    const session = 'asks' in data ? read(data.asks) : null;
    if ('asks' in data && session !== null) {
      channel.postMessage({ name: data.asks, session } satisfies Message<Ended>);
    }
  });
  return (ended) => channel.postMessage({ ended } satisfies Message<Ended>);
}

/** The value that another tab keeps under this name; null when none answers in time. */
export async function askOtherTabs(name: string): Promise<string | null> {
  if (isFramed) {
    return null;
  }
  const channel = new BroadcastChannel(NAME);
  const { promise, resolve } = Promise.withResolvers<string | null>();
  channel.addEventListener('message', ({ data }: MessageEvent<Message<unknown>>) => {
    if ('session' in data && data.name === name) {
      resolve(data.session);
    }
  });
  channel.postMessage({ asks: name } satisfies Message<unknown>);
  setTimeout(resolve, (await canAnother(name)) ? WAIT_FOR_BUSY_MS : WAIT_MS, null);
  return promise.finally(() => channel.close());
}

/** Says to `askOtherTabs` of new tabs that this one keeps something by this name. @returns ends that */
export function canAnswer(name: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (!isFramed) {
    void navigator.locks?.request(lockOf(name), { mode: 'shared' }, () => promise).catch(() => {});
  }
  return resolve;
}

/** False where browsers have no locks, too: over http, except for localhost. */
async function canAnother(name: string): Promise<boolean> {
  const locks = await navigator.locks?.query().catch(() => undefined);
  return locks?.held?.some((lock) => lock.name === lockOf(name)) === true;
}

const lockOf = (name: string) => `${NAME} ${name}`;
