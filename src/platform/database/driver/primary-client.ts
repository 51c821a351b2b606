import pg from 'pg';
import { urlOfFirstHost } from './hosts-url.js';
import { Primary } from './primary.js';
import { sessionUrl } from './session-url.js';
import { verifyAddress } from './verified-address.js';

type Callback = (error: Error | undefined) => void;

/**
 * A connection to the host of its url that takes writes (`Primary`), with the options that every session needs. The
 * driver reads urls with one host alone (node-postgres#2781).
 */
export class PrimaryClient extends pg.Client {
  /** None where a connection is not made by a url. */
  readonly #primary: Primary | undefined;

  constructor(config: pg.ClientConfig = {}) {
    const { connectionString: url, options } = config;
    const primary = url === undefined ? undefined : Primary.of(url);
    super(
      primary === undefined
        ? config
        : { ...config, connectionString: sessionUrl(urlOfFirstHost(primary.readUrl()), options) },
    );
    this.#primary = primary;
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
    verifyAddress(this);
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
