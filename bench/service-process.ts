import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { ServiceLog } from './service-log.js';

const MAIN = fileURLToPath(new URL('../program/main.js', import.meta.url));
/** The service gives its requests in flight 20 s to end. */
const STOP_TIMEOUT_MS = 30_000;
const KEPT_OUTPUT_CHARACTERS = 4_000;
/** The log and the answers come by different ways: the log may be this much later. */
const LOG_BEHIND_MS = 250;

/** The program under test, as an operator runs it: `dist/program/main.js <arguments>`. */
export class ServiceProcess implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #log = new ServiceLog();
  #output = '';

  constructor(args: readonly string[], env: Record<string, string>, nodeFlags: readonly string[]) {
    // In a group of its own: Ctrl-C reaches us alone, and we end it in order.
    this.#process = spawn(process.execPath, [...nodeFlags, MAIN, ...args], {
      env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '/', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#log.read(text);
      this.#keep(text);
    });
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => this.#keep(text));
    process.on('exit', this.#kill);
  }

  readonly #kill = () => this.#process.kill('SIGTERM');

  #keep(text: string): void {
    this.#output = (this.#output + text).slice(-KEPT_OUTPUT_CHARACTERS);
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get ended(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null;
  }

  /** Lines of its log: with LOG_LEVEL=warn, each is a warning. */
  get warnings(): number {
    return this.#log.lines;
  }

  /** How often a daemon has fetched its jobs again because Postgres did not answer it for some seconds. */
  get silences(): number {
    return this.#log.silences;
  }

  /** The last warnings and errors of its log, up to the answer that has just come. */
  async troubles(): Promise<readonly string[]> {
    await delay(LOG_BEHIND_MS);
    return this.#log.troubles;
  }

  /** The end of what it has written. */
  get output(): string {
    return this.#output.trim();
  }

  /** Waits for `ready`. @throws Error with its output when it ends first, or takes too long */
  async untilReady(ready: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    while (!(await ready().catch(() => false))) {
      if (this.ended || performance.now() > deadline) {
        throw new Error(`The service ${this.ended ? 'ended' : 'is not ready'}; it wrote:\n${this.output}`);
      }
      await delay(50);
    }
  }

  /** Waits for the end of a command. @returns what it wrote. @throws Error with that unless it exits 0 */
  async finished(): Promise<string> {
    if (!this.ended) {
      await once(this.#process, 'close');
    }
    if (this.#process.exitCode !== 0) {
      throw new Error(`A command of the service failed:\n${this.output}`);
    }
    return this.output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#kill);
    if (this.ended || this.#process.pid === undefined) {
      return;
    }
    const closed = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
  }
}
