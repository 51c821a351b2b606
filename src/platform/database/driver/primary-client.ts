import pg from 'pg';
import { urlOfFirstHost } from './hosts-url.js';
import { Primary } from './primary.js';

type Callback = (error: Error | undefined) => void;

/**
 * A connection to the host of its url that takes writes (`Primary`). The driver reads urls with one host alone
 * (node-postgres#2781).
 */
export class PrimaryClient extends pg.Client {
  /** None where a connection is not made by a url. */
  readonly #primary: Primary | undefined;

  constructor(config: pg.ClientConfig = {}) {
    const { connectionString: url } = config;
    super(url === undefined ? config : { ...config, connectionString: urlOfFirstHost(url) });
    this.#primary = url === undefined ? undefined : Primary.of(url);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Callback): void;
  override connect(callback?: Callback): Promise<pg.Client> | undefined {
    const connected = this.#connect();
    if (callback === undefined) {
      return connected;
    }
    connected.then(() => callback(undefined), callback);
    return undefined;
  }

  async #connect(): Promise<this> {
    const primary = await this.#primary?.find();
    if (primary != null) {
      this.host = primary.host;
      this.port = primary.port;
    }
    // The caller listens to errors only once it has the connection; without a listener one would end the process.
    const ignore = () => {};
    this.on('error', ignore);
    try {
      await super.connect();
      await this.#primary?.admit(this);
    } catch (error) {
      this.#primary?.forget();
      void this.end().catch(() => {});
      throw error;
    } finally {
      this.off('error', ignore);
    }
    return this;
  }
}
