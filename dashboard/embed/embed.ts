import { isPortalPath } from '../../src/domain/portal-paths';

/** How long the frame may be silent at the start: then the browser has blocked it, or the network is away. */
const SILENT_MS = 15_000;

/** The options that the page around a portal sets. */
interface Options {
  /** Gets the url of a new portal session from the page's own backend. Called at the start, and for each renewal. */
  session: () => Promise<string> | string;
  /** Default: what the session says. */
  theme?: Look['theme'];
  /** A language tag (BCP 47). Default: what the session says. */
  locale?: Look['locale'];
  /** The screen that is shown first, such as `/deliveries?status=FAILED`. Default: what the session says. */
  path?: string;
  /** Called with the path of each screen that the person opens. */
  onPlace?: (path: string) => void;
  /** Names the frame for screen readers. */
  title?: string;
  /** Bounds of the frame's height, in CSS pixels. Without a maximum, it is the window's height. */
  minHeight?: number;
  maxHeight?: number;
  /**
   * @param why `expired`, `refused` (revoked), or `failed`: `session` gave no url for the start, or the frame stays silent
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
  const { title = 'Webhooks', minHeight = 600, maxHeight, path, onEnded, onPlace } = options;
  const look: Look = { theme: options.theme, locale: options.locale };
  // `session` may be an ordinary function as well.
  const link = async () => String(await options.session());
  const frame = document.createElement('iframe');
  let origin = '';
  let content = 0;
  let silence: ReturnType<typeof setTimeout> | undefined;
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
    clearTimeout(silence);
    const is = (type: string) => data?.type === `hookwright:${type}`;
    if (is('ready')) {
      tell('look', look);
    } else if (is('renew')) {
      // Where it fails the portal asks again.
      link().then((url) => tell('session', { url }), console.warn);
    } else if (is('height')) {
      content = Number(data.height) || 0;
      resize();
    } else if (is('place')) {
      onPlace?.(String(data.path));
    } else if (is('ended')) {
      onEnded?.(data.why);
    }
  };

  resize();
  addEventListener('message', hear);
  addEventListener('resize', resize);
  element.append(frame);
  // The code in the url works once: the frame is led there once, and later links go by message.
  const fail = (error: unknown) => {
    console.error(error);
    onEnded?.('failed', error);
  };
  link()
    .then((url) => {
      if (path !== undefined && !isPortalPath(path)) {
        throw new TypeError(`path must be a path of the portal, such as /deliveries?status=FAILED, and not ${path}`);
      }
      const { origin: of, hash } = new URL(url);
      origin = of;
      frame.src = path === undefined ? url : url.replace(hash, hash.split('/', 1)[0] + path);
      silence = setTimeout(
        () => fail(new Error(`${origin} shows nothing in the frame: the network or a policy of this page blocks it`)),
        SILENT_MS,
      );
    })
    .catch(fail);

  return {
    update(change: Look) {
      Object.assign(look, change);
      tell('look', look);
    },
    unmount() {
      clearTimeout(silence);
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
      ...(this.hasAttribute('path') && { path: this.getAttribute('path')! }),
      onPlace: (path) => this.dispatchEvent(new CustomEvent('place', { detail: path })),
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
