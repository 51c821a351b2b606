import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../support/eventually.js';
import { SOON } from '../../support/program.js';
import type { Disturbance } from './oracle.js';

/** The program that `npm run build` makes. FAULTS_MAIN names another build of it. */
const MAIN = process.env['FAULTS_MAIN'] ?? fileURLToPath(new URL('../../../dist/program/main.js', import.meta.url));
const START_TIMEOUT_MS = 120_000;
const WARN = 40;
const LINES_MAX = 2_000;

const { PATH = '', HOME = '/', NODE_COMPILE_CACHE = '' } = process.env;
const inherited = { PATH, HOME, NODE_COMPILE_CACHE };

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Milliseconds since 1970. */
  at: number;
}

/** A line of its log, as pino writes it. */
interface LogLine {
  level: number;
  msg: string;
  /** Milliseconds since 1970: when we read it. */
  readAt: number;
}

export type Command = 'api' | 'daemon' | 'start';

/** A process of the service, `hookwright api`, `daemon` or `start`, that a test may treat badly. */
export class Program implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #lines: LogLine[] = [];
  readonly ended: Promise<Ended>;
  #end: Ended | undefined;
  #wasTold = false;
  #rest = '';

  /** @param main the build that is run */
  constructor(
    readonly command: Command,
    env: Record<string, string>,
    main = MAIN,
  ) {
    if (!existsSync(main)) {
      throw new Error('The fault tests run the built service: "npm run build" makes it.');
    }
    this.#process = spawn(process.execPath, [main, command], {
      env: { ...inherited, ...SOON, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#process.stdout!, this.#process.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => this.#read(text));
    }
    this.ended = new Promise((resolve) => {
      this.#process.once('exit', (code, signal) => {
        this.#end = { code, signal, at: Date.now() };
        resolve(this.#end);
      });
    });
    // When the test process itself is ended, no test cleans up.
    process.on('exit', this.#kill);
    void this.ended.then(() => process.off('exit', this.#kill));
  }

  readonly #kill = () => this.#process.kill('SIGKILL');

  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines.filter((each) => each.trim() !== '')) {
      this.#lines.push({ ...parseLine(line), readAt: Date.now() });
    }
    this.#lines.splice(0, this.#lines.length - LINES_MAX);
  }

  get pid(): number {
    return this.#process.pid!;
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  get output(): string {
    return this.#lines.map(({ level, msg }) => `${level} ${msg}`).join('\n');
  }

  /** The first warning or error that it wrote at this time or later. */
  complaintSince(time: number): LogLine | undefined {
    return this.#lines.find(({ level, readAt }) => level >= WARN && readAt >= time);
  }

  /** Waits for a line of the log. @throws Error with the log when the program ends first or it does not come */
  async said(pattern: RegExp): Promise<LogLine> {
    const found = await eventually(
      () => this.#lines.find(({ msg }) => pattern.test(msg)) ?? (this.hasEnded ? 'ended' : undefined),
      START_TIMEOUT_MS,
    ).catch(() => 'ended' as const);
    if (found === 'ended') {
      throw new Error(`${this.command} never said ${pattern}; it said:\n${this.output}`);
    }
    return found;
  }

  /** How it ended without a signal of ours; undefined when it did not. */
  get endedByItself(): string | undefined {
    if (this.#end === undefined || this.#wasTold) {
      return undefined;
    }
    const lastWords = this.#lines.filter(({ level }) => level >= 60).map(({ msg }) => msg.trim());
    return `a process (${this.command}) ended by itself with ${this.#end.code}: ${lastWords.join(' | ')}`;
  }

  signal(signal: NodeJS.Signals): void {
    this.#wasTold ||= !this.hasEnded && signal !== 'SIGSTOP' && signal !== 'SIGCONT';
    this.#process.kill(signal);
  }

  /** @returns from when to when it was dying */
  async kill(): Promise<Disturbance> {
    const from = Date.now();
    this.signal('SIGKILL');
    return { from, to: (await this.ended).at };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

function parseLine(line: string): { level: number; msg: string } {
  try {
    const { level, msg, err } = JSON.parse(line);
    return { level, msg: err === undefined ? msg : `${msg}: ${err.message}` };
  } catch {
    return { level: 60, msg: line }; // not from the logger: Node's own last words
  }
}
