import { createServer } from 'node:http';
import { listen } from '../loopback.js';

/** A site of somebody's product, on an origin of its own, whose pages are made up by the test. */
export class ParentSite implements AsyncDisposable {
  readonly #pages = new Map<string, string>();
  readonly #server = createServer(({ url = '' }, response) => {
    const body = this.#pages.get(url);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(body);
  });

  /** Another host than 127.0.0.1, where the service is: for the browser it is another site, too. */
  origin = '';

  static async open(): Promise<ParentSite> {
    const site = new ParentSite();
    site.origin = `http://localhost:${await listen(site.#server, 0, 'localhost')}`;
    return site;
  }

  /** @returns the page's url */
  page(path: string, body: string): string {
    this.#pages.set(path, `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Parent</title>${body}`);
    return this.origin + path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
