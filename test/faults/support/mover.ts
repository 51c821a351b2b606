import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';
import { settings as known } from '../../../src/platform/settings/settings.js';

/** The command, which a test may kill. */
export class Mover {
  readonly #process: ChildProcess;
  said = '';
  readonly ended: Promise<number | null>;

  constructor(args: readonly string[], env: Record<string, string>) {
    const inherited = Object.entries(process.env).filter(([name]) => !(name in known));
    this.#process = spawn('./hookwright', args, { env: { ...Object.fromEntries(inherited), ...env } });
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      stream.on('data', (text) => (this.said += text));
    }
    this.ended = once(this.#process, 'close').then(([code]) => code as number | null);
  }

  async signal(signal: NodeJS.Signals): Promise<void> {
    this.#process.kill(signal);
    await this.ended;
  }
}

/** A transaction that keeps something from the mover. */
export class Hold {
  private constructor(readonly client: pg.Client) {}

  static async of(url: string, ...statements: string[]): Promise<Hold> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    await client.query('begin');
    for (const statement of statements) {
      await client.query(statement);
    }
    return new Hold(client);
  }

  async release(): Promise<void> {
    await this.client.query('commit').catch(() => {}); // its Postgres may have crashed
    await this.client.end();
  }
}
