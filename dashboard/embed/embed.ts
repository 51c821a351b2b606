/** The options that the page around a portal sets. */
interface Options {
  /** Gets the url of a new portal session from the page's own backend. Called at the start, and for each renewal. */
  session: () => Promise<string> | string;
  /** Default: what the session says. */
  theme?: Look['theme'];
  /** A language tag (BCP 47). Default: what the session says. */
  locale?: Look['locale'];
  /** Names the frame for screen readers. */
  title?: string;
  /** Bounds of the frame's height, in CSS pixels. Without a maximum, it is the window's height. */
  minHeight?: number;
  maxHeight?: number;
  /**
   * @param why `expired`, `refused` (revoked), or `failed`: `session` gave no url for the start
   * @param error what `session` failed with
   */
  onEnded?: (why: string, error?: unknown) => void;
}

interface Look {
  theme?: 'light' | 'dark' | 'auto' | undefined;
  locale?: string | undefined;
}

/** Shows the portal in a frame within an element (docs/dashboard.md, "Embedding"). */
function mount(element: Element, options: Options) {
  const { title = 'Webhooks', minHeight = 600, maxHeight, onEnded } = options;
  const look: Look = { theme: options.theme, locale: options.locale };
  // `session` may be an ordinary function as well.
  const link = async () => String(await options.session());
  const frame = document.createElement('iframe');
  let origin = '';
  let content = 0;
  frame.title = title;
  frame.referrerPolicy = 'no-referrer';
  frame.allow = 'clipboard-write';
  frame.style.cssText = 'display:block;width:100%;border:0';

  const tell = (type: string, data: object) =>
    origin && frame.contentWindow?.postMessage({ ...data, type: `hookwright:${type}` }, origin);
  const resize = () => {
    frame.style.height = `${Math.max(minHeight, Math.min(content, maxHeight ?? innerHeight))}px`;
  };
  const hear = ({ source, origin: from, data }: MessageEvent) => {
    if (source !== frame.contentWindow || from !== origin) {
      return;
    }
    const is = (type: string) => data?.type === `hookwright:${type}`;
    if (is('ready')) {
      tell('look', look);
    } else if (is('renew')) {
      // Where it fails the portal asks again.
      link().then((url) => tell('session', { url }), console.warn);
    } else if (is('height')) {
      content = Number(data.height) || 0;
      resize();
    } else if (is('ended')) {
      onEnded?.(data.why);
    }
  };

  resize();
  addEventListener('message', hear);
  addEventListener('resize', resize);
  element.append(frame);
  // The code in the url works once: the frame is led there once, and later links go by message.
  link()
    .then((url) => {
      origin = new URL(url).origin;
      frame.src = url;
    })
    .catch((error) => {
      console.error(error);
      onEnded?.('failed', error);
    });

  return {
    update(change: Look) {
      Object.assign(look, change);
      tell('look', look);
    },
    unmount() {
      removeEventListener('message', hear);
      removeEventListener('resize', resize);
      frame.remove();
    },
  };
}

/** `<hookwright-portal session-url="/my/backend/path">`: a POST to that path answers `{ "url": … }`. */
class PortalElement extends HTMLElement {
  static observedAttributes = ['theme', 'locale'];
  #mounted: ReturnType<typeof mount> | undefined;

  connectedCallback() {
    this.style.display ||= 'block';
    const path = this.getAttribute('session-url') ?? '';
    this.#mounted = mount(this, {
      ...this.#look(),
      session: async () => {
        const answer = await fetch(path, { method: 'POST' });
        if (!answer.ok) {
          throw new Error(`${path} answered ${answer.status}`);
        }
        return (await answer.json()).url;
      },
      onEnded: (why) => this.dispatchEvent(new CustomEvent('ended', { detail: why })),
    });
  }

  disconnectedCallback() {
    this.#mounted?.unmount();
  }

  attributeChangedCallback() {
    this.#mounted?.update(this.#look());
  }

  #look(): Look {
    const read = (name: string) => this.getAttribute(name) ?? undefined;
    return { theme: read('theme') as Look['theme'], locale: read('locale') };
  }
}

Object.assign(globalThis, { Hookwright: { mount } });
// A page may load the script twice.
customElements.get('hookwright-portal') ?? customElements.define('hookwright-portal', PortalElement);

export {};
