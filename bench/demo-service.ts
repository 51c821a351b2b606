import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { settings } from '../src/platform/settings/settings.js';
import { ask } from './client.js';

const SETTINGS = {
  PORT: '0',
  LOG_LEVEL: 'error',
  REHEARSAL: 'false',
  // Seconds in place of minutes.
  RETRY_BASE_SECONDS: '0.2',
  DISABLE_AFTER_SECONDS_MIN: '3',
  // More than the ten failures in a row that disable a webhook: no delivery uses up its attempts before.
  MAX_RETRIES: '10',
};
/** The service prints the link that signs in to the console on terminals only. The demo prints it on its own. */
const AS_ON_A_TERMINAL = ['--import', 'data:text/javascript,process.stderr.isTTY=true'];
const WAIT_LIMIT_MS = 60_000;

/** @throws Error that names it, when it does not hold within a minute */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + WAIT_LIMIT_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      throw new Error(`waited ${WAIT_LIMIT_MS / 1_000} s in vain for ${what}`);
    }
    await delay(50);
  }
}

/** The service, as `npm start` runs it in a shell without settings. */
export class DemoService {
  address = '';
  /** Signs in to the console, once. */
  consoleUrl = '';
  #key = '';
  #said = '';
  readonly #child;

  constructor(private readonly dataDir: string) {
    const main = fileURLToPath(new URL('../program/main.js', import.meta.url));
    const inherited = Object.entries(process.env).filter(([name]) => !(name in settings));
    this.#child = spawn(process.execPath, [...AS_ON_A_TERMINAL, main, 'start'], {
      env: { ...Object.fromEntries(inherited), ...SETTINGS, DATA_DIR: dataDir },
      stdio: ['ignore', 'inherit', 'pipe'],
      // Ctrl-C is for the demo, which then ends it.
      detached: true,
    });
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
      this.address ||= /ready at (\S+)\s/.exec(this.#said)?.[1] ?? '';
      this.consoleUrl ||= /Console: (\S+)\s/.exec(this.#said)?.[1] ?? '';
    });
  }

  async ready(): Promise<void> {
    await until('the start of the service', () => {
      if (this.#hasEnded) {
        throw new Error(`the service ended: ${this.#said.trim() || this.#child.exitCode || this.#child.signalCode}`);
      }
      return this.consoleUrl !== '';
    });
    this.#key = (await readFile(join(this.dataDir, 'api-key'), 'utf8')).trim();
  }

  async rest<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const response = await fetch(`${this.address}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as { data: Data; detail?: string };
    if (!response.ok) {
      throw new Error(`${method} ${path} answered ${response.status}: ${answer.detail}`);
    }
    return answer.data;
  }

  graphql<Data>(query: string, variables: Record<string, unknown>): Promise<Data> {
    return ask<Data>({ origin: this.address, apiKey: this.#key }, query, variables);
  }

  async emit(event: string, payload: Record<string, string>): Promise<void> {
    await this.graphql('mutation ($input: EmitEventInput!) { emitEvent(input: $input) { deliveryCount } }', {
      input: { event, payload },
    });
  }

  get #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  async stop(): Promise<void> {
    if (!this.#hasEnded) {
      const ended = new Promise((resolve) => this.#child.once('exit', resolve));
      this.#child.kill('SIGTERM');
      await ended;
    }
  }
}
