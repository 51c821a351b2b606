import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/**
 * A process of the bench itself (the receiver, the load generator), whose methods another one calls by IPC.
 */

// biome-ignore lint/suspicious/noExplicitAny: each child declares its own methods; here they are only carried
type Methods = Record<string, (argument: any) => unknown>;

interface Call {
  id: number;
  method: string;
  argument: unknown;
}
type Reply = { id: number; result: unknown } | { id: number; error: string };

/** In the child: answers calls until the parent is gone, and ends with it. */
export function serveMethods(methods: Methods): void {
  // Ctrl-C in a terminal reaches the whole group, as does `timeout`; the parent ends us when it has done what it must.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('disconnect', () => process.exit(0));
  process.on('message', async ({ id, method, argument }: Call) => {
    let reply: Reply;
    try {
      reply = { id, result: (await methods[method]?.(argument)) ?? null };
    } catch (error) {
      reply = { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
    process.send?.(reply);
  });
}

/** In the parent: a child whose methods can be called. */
export class Child<Served extends Methods> implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;

  /** @param script beside this file, such as `receiver.js` */
  constructor(private readonly script: string) {
    this.#process = fork(fileURLToPath(new URL(script, import.meta.url)), { execArgv: [] });
    this.#process.on('message', (reply: Reply) => this.#settle(reply));
    this.#process.on('exit', (code, signal) => this.#fail(`ended with ${signal ?? code}`));
    this.#process.on('error', (error) => this.#fail(error.message));
  }

  get pid(): number {
    return this.#process.pid!;
  }

  /** @throws Error with what the method threw in the child, or when the child has ended */
  call<Name extends keyof Served & string>(
    method: Name,
    argument: Parameters<Served[Name]>[0],
  ): Promise<Awaited<ReturnType<Served[Name]>>> {
    const id = this.#calls++;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#process.send({ id, method, argument } satisfies Call, (error) => {
      if (error) {
        this.#fail(error.message);
      }
    });
    return waiting.promise as Promise<Awaited<ReturnType<Served[Name]>>>;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) {
      waiting?.reject(new Error(`${this.script}: ${reply.error}`));
    } else {
      waiting?.resolve(reply.result);
    }
  }

  #fail(reason: string): void {
    for (const { reject } of this.#waiting.values()) {
      reject(new Error(`${this.script} ${reason}`));
    }
    this.#waiting.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const ended = once(this.#process, 'exit');
      this.#process.kill('SIGKILL'); // it holds nothing that is worth a goodbye
      await ended;
    }
  }
}
