/**
 * How long the frame may be silent after a link was opened. Then another one is tried, because a file of the page may
 * be missing during an upgrade. From the third on it is each minute: each costs a session.
 */
const silentMs = (failures: number) => (failures < 2 ? 7_500 : 60_000);

/** The options that the page around a portal sets. */
interface Options extends Look {
  /** Gets the url of a new portal session from the page's own backend. Called at the start, and for each renewal. */
  session: () => Promise<string> | string;
  /** The screen that is shown first, such as `/deliveries?status=FAILED`. Default: what the session says. */
  path?: string | undefined;
  /** Called with the path of each screen that the person opens. */
  onPlace?: (path: string) => void;
  /** Names the frame for screen readers. */
  title?: string;
  /** Bounds of the frame's height, in CSS pixels. Without a maximum, it is the window's height. */
  minHeight?: number;
  maxHeight?: number;
  /**
   * @param why `expired`, `refused` (revoked), `moved` (another cell has the tenant: mount the portal again with a link
   *   of that cell), or `failed`: `session` gave no url for the start, or the frame cannot be
   *   loaded; then it is tried again each minute
   * @param error why nothing is shown
   */
  onEnded?: (why: string, error?: unknown) => void;
}

/** Default: what the session says. The portal judges each value (src/domain/portal/portal-look.ts). */
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

const LOOK = ['theme', 'locale', 'accent', 'accentDark', 'font', 'radius', 'transparent', 'header'] as const;

/**
 * Opens links in the frame until the portal speaks. The code in a link works once: after that, links go by message.
 *
 * @param path the screen that is to be shown; undefined: what the link says
 * @param fail called with the reason why nothing is shown: the first link did not come, or two were opened in vain
 */
function openIn(
  frame: HTMLIFrameElement,
  link: () => Promise<string>,
  path: () => string | undefined,
  fail: (error: unknown) => void,
) {
  let failures = 0;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const opening = {
    origin: '',
    /** The portal has spoken. */
    hush: () => clearTimeout(silence),
    /** A link is opened. @param before how often in a row that was in vain */
    watch(before: number) {
      failures = before;
      clearTimeout(silence);
      // An element that was removed shows nothing.
      silence = setTimeout(() => frame.isConnected && again(), silentMs(failures));
    },
  };
  const open = async () => {
    const url = new URL(await link());
    if (!frame.parentNode) {
      return; // it is unmounted
    }
    const place = path();
    opening.origin = url.origin;
    url.searchParams.set('failures', `${failures}`);
    if (place !== undefined) {
      url.hash = `${url.hash.split('/', 1)[0]}/${place.replace(/^\//, '')}`;
    }
    frame.src = url.href;
    opening.watch(failures);
  };
  const again = () => {
    if (document.hidden) {
      opening.watch(failures);
      return;
    }
    failures += 1;
    if (failures === 2) {
      failures = 3; // a portal that is opened after two in vain says it, too
      const why = `check network, policies and parentOrigins for ${location.origin}`;
      fail(new Error(`${opening.origin} shows nothing in the frame: ${why}`));
    }
    open().catch(() => opening.watch(failures));
  };
  open().catch(fail); // for the start the page decides whether to ask for a session again
  return opening;
}

/** Shows the portal in a frame within an element (docs/dashboard.md, "Embedding"). */
function mount(element: Element, options: Options) {
  const { title = 'Webhooks', minHeight = 600, maxHeight, onEnded, onPlace } = options;
  const look: Look = Object.fromEntries(LOOK.map((name) => [name, options[name]]));
  // `session` may be an ordinary function as well.
  const link = async () => String(await options.session());
  const frame = document.createElement('iframe');
  let { path } = options;
  let content = 0;
  frame.title = title;
  frame.referrerPolicy = 'no-referrer';
  frame.allow = 'clipboard-write';
  frame.style.cssText = 'display:block;width:100%;border:0';

  const tell = (type: string, data: object) =>
    opening.origin && frame.contentWindow?.postMessage({ ...data, type: `hookwright:${type}` }, opening.origin);
  let scheme = '';
  const show = () => {
    // A browser paints a ground of its own behind a frame with another scheme.
    frame.style.colorScheme = (look.theme ?? scheme).replace('auto', '');
    tell('look', look);
  };
  const resize = () => {
    frame.style.height = `${Math.max(minHeight, Math.min(content, maxHeight ?? innerHeight))}px`;
  };
  const hear = ({ source, origin, data }: MessageEvent) => {
    if (source !== frame.contentWindow || origin !== opening.origin) {
      return;
    }
    const is = (type: string) => data?.type === `hookwright:${type}`;
    if (is('ready')) {
      opening.hush();
      scheme = data.theme;
      show();
    } else if (is('refused')) {
      console.error(...data.issues);
    } else if (is('renew')) {
      // Where it fails the portal asks again.
      link().then((url) => tell('session', { url }), console.warn);
    } else if (is('opens')) {
      opening.watch(data.failures);
    } else if (is('height')) {
      content = Number(data.height) || 0;
      resize();
    } else if (is('place')) {
      path = String(data.path);
      onPlace?.(path);
    } else if (is('ended')) {
      onEnded?.(data.why);
    }
  };

  resize();
  addEventListener('message', hear);
  addEventListener('resize', resize);
  element.append(frame);
  const opening = openIn(
    frame,
    link,
    () => path,
    (error) => {
      if (frame.parentNode) {
        console.error(error);
        onEnded?.('failed', error);
      }
    },
  );

  return {
    update(change: Look) {
      Object.assign(look, change);
      show();
    },
    unmount() {
      opening.hush();
      removeEventListener('message', hear);
      removeEventListener('resize', resize);
      frame.remove();
    },
  };
}

/** `<hookwright-portal session-url="/my/backend/path">`: a POST to that path answers `{ "url": … }`. */
class PortalElement extends HTMLElement {
  static observedAttributes = LOOK.map((name) => name.replace('D', '-d'));
  #mounted: ReturnType<typeof mount> | undefined;

  connectedCallback() {
    this.style.display ||= 'block';
    const path = this.getAttribute('session-url') ?? '';
    const tell = (type: string) => (detail: string) => this.dispatchEvent(new CustomEvent(type, { detail }));
    this.#mounted = mount(this, {
      ...this.#look(),
      session: async () => {
        const answer = await fetch(path, { method: 'POST' });
        if (!answer.ok) {
          throw new Error(`${path} answered ${answer.status}`);
        }
        return (await answer.json()).url;
      },
      path: this.getAttribute('path') ?? undefined,
      onPlace: tell('place'),
      onEnded: tell('ended'),
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
