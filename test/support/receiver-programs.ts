import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { compatibilityFolder } from './compatibility.js';
import { eventually } from './eventually.js';
import { ownPort } from './loopback.js';

const run = promisify(execFile);
const PACKAGE = 'packages/receiver';
const TSC = ['--ignoreConfig', '--target', 'es2022', '--module', 'nodenext', '--strict', '--skipLibCheck'];

export interface ReceiverServer {
  url: string;
  printed(): string;
}

/** Programs below test/compatibility that find its frameworks, and @hookwright/receiver as npm installs it. */
export class ReceiverPrograms {
  readonly #stops: (() => Promise<void>)[] = [];

  private constructor(readonly folder: string) {}

  /** Programs that need nothing of test/compatibility. */
  static async openEmpty(): Promise<ReceiverPrograms> {
    return new ReceiverPrograms(await mkdtemp(join(tmpdir(), 'hookwright-receivers-')));
  }

  static async open(): Promise<ReceiverPrograms> {
    const folder = await mkdtemp(join(compatibilityFolder, '.run-'));
    const installed = join(folder, 'node_modules/@hookwright/receiver');
    const { files } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8'));
    for (const part of ['package.json', ...files.filter((name: string) => name !== 'dist')]) {
      await cp(join(PACKAGE, part), join(installed, part), { recursive: true });
    }
    await run('node_modules/.bin/tsc', ['-p', PACKAGE, '--outDir', join(installed, 'dist')]);
    return new ReceiverPrograms(folder);
  }

  /** Copies a file into the folder, with some of its text replaced. @returns its path */
  async copy(from: string, to: string, changes: readonly [from: string, to: string][] = []): Promise<string> {
    let text = await readFile(from, 'utf8');
    for (const [before, after] of changes) {
      if (!text.includes(before)) {
        throw new Error(`${from} has no ${before}`);
      }
      text = text.replace(before, () => after);
    }
    return this.write(to, text);
  }

  async write(file: string, text: string): Promise<string> {
    const path = join(this.folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  }

  /** Compiles in the folder. @throws Error with what the compiler says */
  async compile(...options: string[]): Promise<void> {
    const tsc = join(process.cwd(), 'node_modules/.bin/tsc');
    await run(tsc, [...TSC, ...options], { cwd: this.folder }).catch(({ stdout }) => {
      throw new Error(stdout);
    });
  }

  /** Starts a server at a port, and waits until it answers at /webhooks. @returns its URL, and what it has printed */
  async serve(command: string, args: (port: string) => string[], secret: string): Promise<ReceiverServer> {
    const port = String(await ownPort());
    const env = { ...process.env, PORT: port, WEBHOOK_SECRET: secret, NEXT_TELEMETRY_DISABLED: '1' };
    const server = spawn(command, args(port), { cwd: this.folder, env, detached: true });
    this.#stops.push(async () => {
      if (server.exitCode === null) {
        process.kill(-server.pid!); // Next has processes of its own
        await once(server, 'exit');
      }
    });
    let output = '';
    for (const stream of [server.stdout, server.stderr]) {
      stream.on('data', (text) => {
        output += text;
      });
    }
    const url = `http://localhost:${port}`;
    await eventually(() => fetch(`${url}/webhooks`).then(() => true), 90_000).catch((cause) => {
      throw new Error(`It does not listen: ${output}`, { cause });
    });
    return { url, printed: () => output };
  }

  async close(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
