import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site of somebody's product, on an origin of its own, whose pages are made up by the test. */
export class ParentSite implements AsyncDisposable {
  readonly #pages = new Map<string, string>();
  readonly #server = createServer(({ url = '' }, response) => {
    const body = this.#pages.get(url);
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(body);
  });

  private constructor() {}

  static async open(): Promise<ParentSite> {
    const site = new ParentSite();
    await new Promise<void>((resolve) => site.#server.listen(0, 'localhost', resolve));
    return site;
  }

  /** Another host than 127.0.0.1, where the service is: for the browser it is another site, too. */
  get origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
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
