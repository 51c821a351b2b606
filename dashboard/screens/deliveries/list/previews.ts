import type { Client } from 'urql';
import type { PreviewsQuery } from '../../../api/generated/graphql';
import { Observable } from '../../../api/observable';
import { PREVIEWS } from '../documents';

type Preview = Extract<PreviewsQuery['nodes'][number], { preview?: unknown }>['preview'];

/** How long rows must stay before their payloads are read. */
const PAUSE_MS = 150;
/** The API takes at most this many ids at once. */
const IDS_MAX = 100;
/** Previews of rows that were scrolled away are forgotten. */
const KEPT_MAX = 2_000;

/** The payloads of events in few words, read for the rows that are seen, and once each. */
export class Previews extends Observable {
  readonly #known = new Map<string, Preview | undefined>();
  readonly #client: Client;
  readonly #text: string | null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param text is looked for in the payloads; null: none is */
  constructor(client: Client, text: string | null) {
    super();
    this.#client = client;
    this.#text = text;
  }

  of(eventId: string): Preview | undefined {
    return this.#known.get(eventId);
  }

  /** Reads those that are not known, when nobody has asked for others for a moment. */
  want(eventIds: readonly string[]): void {
    clearTimeout(this.#timer);
    const unknown = [...new Set(eventIds)].filter((id) => !this.#known.has(id)).slice(0, IDS_MAX);
    if (unknown.length > 0) {
      this.#timer = setTimeout(() => void this.#read(unknown), PAUSE_MS);
    }
  }

  async #read(ids: readonly string[]): Promise<void> {
    const { data } = await this.#client.query(PREVIEWS, { ids: [...ids], text: this.#text }).toPromise();
    if (data === undefined) {
      return; // the list says that the service is away
    }
    if (this.#known.size > KEPT_MAX) {
      this.#known.clear();
    }
    for (const [at, node] of data.nodes.entries()) {
      this.#known.set(ids[at]!, node !== null && 'preview' in node ? node.preview : null);
    }
    this.changed();
  }
}
