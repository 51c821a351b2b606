import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { runHere } from './command.js';
import { createTestDatabase } from './database.js';
import { openTestServices } from './factories.js';
import { onServer } from './on-server.js';
import { temporaryFolder } from './temporary-folder.js';

type Services = Awaited<ReturnType<typeof openTestServices>>;

/** A cell of one address. */
export class Cell {
  constructor(
    readonly number: number,
    readonly url: string,
    readonly services: Services,
  ) {}

  /** Asks its database, as the owner. */
  async rows<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.services.db.pool.query<Row>(text, values)).rows;
  }
}

/** Cells 0 and 1 of one address, each with a database of its own, and the commands of an operator. */
export class TwoCells implements AsyncDisposable {
  private constructor(
    readonly cells: readonly [Cell, Cell],
    readonly settings: Record<string, string>,
    private readonly drops: readonly (() => Promise<void>)[],
  ) {}

  static async open(): Promise<TwoCells> {
    const settings = { ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}` };
    const made = [await createTestDatabase(), await createTestDatabase()];
    const open = async (number: number) => {
      const { url } = made[number]!;
      await onServer(url, (client) => enableCell(client, { number: number === 0 ? null : number, of: 16 }));
      return new Cell(number, url, await openTestServices(url, { settings }));
    };
    return new TwoCells(
      [await open(0), await open(1)],
      settings,
      made.map(({ drop }) => drop),
    );
  }

  /** Runs a command over a cell. `--to-url-file cell<number>` names the other one. */
  run(line: string, cell = 0) {
    const args = line
      .split(' ')
      .map((word) => (/^cell\d$/.test(word) ? this.urlFile(this.cells[Number(word.at(-1))]!.url) : word));
    return runHere(args, { DATABASE_URL: this.cells[cell]!.url, LOG_LEVEL: 'fatal', ...this.settings });
  }

  /** A file with the url of a database. */
  urlFile(url: string): string {
    const file = join(temporaryFolder(), 'url');
    writeFileSync(file, `${url}\n`);
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.cells.map(({ services }) => services.db.close()));
    await Promise.all(this.drops.map((drop) => drop()));
  }
}
