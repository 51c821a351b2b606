import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { settings } from '../../src/platform/settings/settings.js';
import { eventually } from './eventually.js';
import { ownPort } from './loopback.js';
import { heard, SOON } from './program.js';
import { temporaryFolder } from './temporary-folder.js';

const root = join(import.meta.dirname, '../..');
/** npm and a build on a busy machine. */
const WITHIN_MS = 600_000;
/** What npm and vitest set for their own. */
const OF_TESTS = /^(npm_|VITEST|NODE_|TEST$)/;

/** The fenced blocks of a page, or of one of its sections, in a language. */
export function blocksOf(page: string, language: string, heading = ''): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const [section = ''] = text.slice(text.indexOf(heading)).split(heading === '' ? /$^/ : /\n(?=## )/);
  const fenced = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return [...section.matchAll(fenced)].map(([, block = '']) => block);
}

/** A clone of what is committed here, in which a test types what pages say, as a stranger does. */
export class CleanClone {
  readonly #opened: ChildProcess[] = [];

  private constructor(
    readonly folder: string,
    readonly ports: { service: number; receiver: number },
    /** Of npm: every request that it makes. */
    readonly logs: string,
  ) {}

  static exists = existsSync(join(root, '.git'));

  static async make(): Promise<CleanClone> {
    const folder = join(temporaryFolder(), 'hookwright');
    execFileSync('git', ['clone', '--quiet', root, folder]);
    const ports = { service: await ownPort(), receiver: await ownPort() };
    return new CleanClone(folder, ports, temporaryFolder());
  }

  /** Starts a command in a terminal of its own. The usual ports may be taken, so others are put in their place. */
  type(command: string, { set = {}, cwd = this.folder }: { set?: Record<string, string>; cwd?: string } = {}) {
    const { service, receiver } = this.ports;
    const typed = command.replaceAll(':3000', `:${service}`).replaceAll(':4000', `:${receiver}`);
    const port = /WEBHOOK_SECRET=/.test(command) ? receiver : service;
    const env = { ...this.#environment(), PORT: `${port}`, ...SOON, ...set };
    const child = spawn('sh', ['-c', typed], { cwd, env, detached: true });
    this.#opened.push(child);
    return new Terminal(child);
  }

  /** Without programs of this checkout, and without settings. */
  #environment(): NodeJS.ProcessEnv {
    const kept = Object.entries(process.env).filter(([name]) => !(name in settings) && !OF_TESTS.test(name));
    const folders = (process.env['PATH'] ?? '').split(delimiter);
    return {
      ...Object.fromEntries(kept),
      PATH: folders.filter((folder) => !folder.includes('node_modules')).join(delimiter),
      npm_config_prefer_offline: 'true',
      npm_config_logs_dir: this.logs,
      npm_config_logs_max: '100',
    };
  }

  [Symbol.dispose](): void {
    for (const { pid, exitCode, signalCode } of this.#opened) {
      if (exitCode === null && signalCode === null) {
        process.kill(-pid!, 'SIGKILL');
      }
    }
  }
}

class Terminal {
  readonly #said: ReturnType<typeof heard>;
  readonly #closed: Promise<unknown>;
  #hasEnded = false;

  constructor(readonly child: ChildProcess) {
    this.#said = heard(child);
    this.#closed = once(child, 'close').then(() => {
      this.#hasEnded = true;
    });
  }

  get text(): string {
    return this.#said.output + this.#said.errors;
  }

  /** Waits until it shows a text. @throws Error with all that it shows when it ends before */
  async shows(text: RegExp): Promise<void> {
    await this.#until(() => text.test(this.text), `showed ${text}`);
  }

  /** Waits until it listens. @throws Error with all that it shows when it ends before */
  async listensAt(port: number): Promise<void> {
    await this.#until(() => fetch(`http://localhost:${port}`).catch(() => false), `listened at ${port}`);
  }

  async #until(check: () => unknown, what: string): Promise<void> {
    const holds = await eventually(async () => (await check()) || (this.#hasEnded && 'ended'), WITHIN_MS);
    if (holds === 'ended') {
      throw new Error(`It ended before it ${what}:\n${this.text}`);
    }
  }

  /** Waits for its end. @returns what it has shown. @throws Error with that when it failed */
  async ends(): Promise<string> {
    await this.#closed;
    if (this.child.exitCode !== 0) {
      throw new Error(`It failed with ${this.child.exitCode}:\n${this.text}`);
    }
    return this.text;
  }

  /** Ctrl-C: it reaches all that the command has started. */
  async interrupt(): Promise<void> {
    process.kill(-this.child.pid!, 'SIGINT');
    await this.#closed;
  }
}
