/**
 * How long the frame may be silent at the start. Then another link is tried, because a file of the page may have been
 * missing during an upgrade; after the same time again, the browser has blocked the frame, or the network is away.
 */
const SILENT_MS = 7_500;

/** The options that the page around a portal sets. */
interface Options extends Look {
  /** Gets the url of a new portal session from the page's own backend. Called at the start, and for each renewal. */
  session: () => Promise<string> | string;
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

/** Default: what the session says. The portal judges each value (src/domain/portal-look.ts). */
interface Look {
  theme?: 'light' | 'dark' | 'auto' | undefined;
  /** A language tag (BCP 47). */
  locale?: string | undefined;
  /** `#rrggbb`, in the light theme and in the dark one. */
  accent?: string | undefined;
  accentDark?: string | undefined;
  font?: string | undefined;
  radius?: number | undefined;
  transparent?: boolean | undefined;
  header?: boolean | undefined;
}

/** Shows the portal in a frame within an element (docs/dashboard.md, "Embedding"). */
function mount(element: Element, options: Options) {
  const { title = 'Webhooks', minHeight = 600, maxHeight, path, onEnded, onPlace } = options;
  const { theme, locale, accent, accentDark, font, radius, transparent, header } = options;
  const look: Look = { theme, locale, accent, accentDark, font, radius, transparent, header };
  // `session` may be an ordinary function as well.
  const link = async () => String(await options.session());
  const frame = document.createElement('iframe');
  let origin = '';
  let content = 0;
  let silence: ReturnType<typeof setTimeout> | undefined;
  let isMounted = true;
  frame.title = title;
  frame.referrerPolicy = 'no-referrer';
  frame.allow = 'clipboard-write';
  frame.style.cssText = 'display:block;width:100%;border:0';

  const tell = (type: string, data: object) =>
    origin && frame.contentWindow?.postMessage({ ...data, type: `hookwright:${type}` }, origin);
  let scheme = '';
  const show = () => {
    // A browser paints a ground of its own behind a frame with another scheme.
    frame.style.colorScheme = (look.theme ?? scheme).replace('auto', '');
    tell('look', look);
  };
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
      scheme = data.theme;
      show();
    } else if (is('refused')) {
      console.error(...data.issues);
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
  // The code in the url works once: once the frame has spoken, links go by message.
  const fail = (error: unknown) => {
    if (isMounted) {
      console.error(error);
      onEnded?.('failed', error);
    }
  };
  const open = async (whenSilent: () => void) => {
    const url = await link();
    if (!isMounted) {
      return;
    }
    const { origin: of, hash } = new URL(url);
    origin = of;
    frame.src = path === undefined ? url : url.replace(hash, `${hash.split('/', 1)[0]}/${path.replace(/^\//, '')}`);
    silence = setTimeout(whenSilent, SILENT_MS);
  };
  const blocked = () =>
    fail(new Error(`${origin} shows nothing in the frame: the network or a policy of this page blocks it`));
  open(() => open(blocked).catch(fail)).catch(fail);

  return {
    update(change: Look) {
      Object.assign(look, change);
      show();
    },
    unmount() {
      isMounted = false;
      clearTimeout(silence);
      removeEventListener('message', hear);
      removeEventListener('resize', resize);
      frame.remove();
    },
  };
}

/** `<hookwright-portal session-url="/my/backend/path">`: a POST to that path answers `{ "url": … }`. */
class PortalElement extends HTMLElement {
  static observedAttributes = ['theme', 'locale', 'accent', 'accent-dark', 'font', 'radius', 'transparent', 'header'];
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
    const isOn = (name: string) => (read(name) === undefined ? undefined : read(name) !== 'off');
    const radius = read('radius');
    return {
      theme: read('theme') as Look['theme'],
      locale: read('locale'),
      accent: read('accent'),
      accentDark: read('accent-dark'),
      font: read('font')?.toUpperCase(),
      radius: radius === undefined ? undefined : Number(radius),
      transparent: isOn('transparent'),
      header: isOn('header'),
    };
  }
}

Object.assign(globalThis, { Hookwright: { mount } });
// A page may load the script twice.
customElements.get('hookwright-portal') ?? customElements.define('hookwright-portal', PortalElement);
