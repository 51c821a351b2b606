import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { PrimaryClient } from '../../src/platform/database/driver/primary-client.js';
import { runHere } from './command.js';
import { createTestDatabase } from './database.js';
import { openTestServices } from './factories.js';
import { temporaryFolder } from './temporary-folder.js';

type Services = Awaited<ReturnType<typeof openTestServices>>;

type Database = { url: string } & AsyncDisposable;

async function sharedDatabase(): Promise<Database> {
  const { url, drop } = await createTestDatabase();
  return { url, [Symbol.asyncDispose]: drop };
}

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
    private readonly grounds: readonly AsyncDisposable[],
  ) {}

  /** @param own migrated databases that end with the cells; default: two of the test run's server */
  static async open(own: readonly (Database | undefined)[] = []): Promise<TwoCells> {
    const settings = { ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}` };
    const made = await Promise.all([0, 1].map(async (number) => own[number] ?? (await sharedDatabase())));
    const open = async (number: number) => {
      const { url } = made[number]!;
      const client = new PrimaryClient({ connectionString: url });
      await client.connect();
      await enableCell(client, { number: number === 0 ? null : number, of: 16 }).finally(() => client.end());
      return new Cell(number, url, await openTestServices(url, { settings }));
    };
    return new TwoCells([await open(0), await open(1)], settings, made);
  }

  /** Runs a command over a cell. `--to-url-file cell<number>` names the other one. */
  run(line: string, cell = 0) {
    const args = line
      .split(' ')
      .map((word) => (/^cell\d$/.test(word) ? this.urlFile(this.cells[Number(word.at(-1))]!.url) : word));
    return runHere(args, { DATABASE_URL: this.cells[cell]!.url, LOG_LEVEL: 'fatal', ...this.settings });
  }

  /** Moves a tenant from cell 0 to cell 1. */
  move(tenantId: number, options = '') {
    return this.run(`tenant move ${tenantId} --to-url-file cell1 ${options}`.trim());
  }

  /** A file with the url of a database. */
  urlFile(url: string): string {
    const file = join(temporaryFolder(), 'url');
    writeFileSync(file, `${url}\n`);
    return file;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.cells.map(({ services }) => services.db.close()));
    await Promise.all(this.grounds.map((ground) => ground[Symbol.asyncDispose]()));
  }
}
