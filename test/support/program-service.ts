import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.js';
import { heard, runProgram, startProgram } from './program.js';

/** The built program over a database, as an operator runs it: commands, an API and daemons, each a process. */
export class ProgramService {
  readonly #running: ChildProcess[] = [];
  /** What each process has written. */
  readonly said: { output: string; errors: string }[] = [];
  #url = '';

  /** @param env its settings, with DATABASE_URL and ENCRYPTION_KEYS */
  constructor(readonly env: Record<string, string>) {
    process.once('exit', () => this.#running.map((child) => child.kill('SIGKILL')));
  }

  /** @returns what the command printed */
  async run(...args: string[]): Promise<string> {
    const { code, output, errors } = await runProgram(args, this.env);
    if (code !== 0) {
      throw new Error(`hookwright ${args.join(' ')}: ${errors}`);
    }
    return output.trim();
  }

  startApi(): Promise<void> {
    return this.#startWithApi('api');
  }

  /** All in one. */
  startAll(): Promise<void> {
    return this.#startWithApi('start');
  }

  async #startWithApi(command: string): Promise<void> {
    const log = await this.#start(command, 'the API is listening at', { PORT: '0', HOST: '127.0.0.1' });
    this.#url = /listening at (http:[^"\s]+)/.exec(log.output)![1]!;
  }

  async startDaemon(settings: Record<string, string> = {}): Promise<ChildProcess> {
    await this.#start('daemon', 'the delivery daemon is running', settings);
    return this.#running.at(-1)!;
  }

  async #start(command: string, line: string, settings: Record<string, string>) {
    const child = startProgram([command], { ...this.env, ...settings });
    this.#running.push(child);
    const log = heard(child);
    this.said.push(log);
    await eventually(() => log.output.includes(line), 60_000).catch((error: Error) => {
      throw new Error(`${error.message}\n${log.output}${log.errors}`);
    });
    return log;
  }

  async end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
  }

  async endAll(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((child) => this.end(child)));
  }

  /** @returns the answer's data. @param document GraphQL */
  async ask<Data>(key: string, document: string, variables: object = {}, headers: object = {}): Promise<Data> {
    const response = await this.fetch('/graphql', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: document, variables }),
    });
    const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
    if (errors !== undefined) {
      throw new Error(`${document}: ${JSON.stringify(errors)}`);
    }
    return data;
  }

  /** A mutation whose only argument is its input. */
  async change<Answer>(
    key: string,
    name: string,
    input: object,
    fields: string,
    headers: object = {},
  ): Promise<Answer> {
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
    const document = `mutation ($input: ${type}!) { ${name}(input: $input) { ${fields} } }`;
    return (await this.ask<Record<string, Answer>>(key, document, { input }, headers))[name]!;
  }

  fetch(path: string, init: RequestInit): Promise<Response> {
    return fetch(new URL(path, this.#url), init);
  }
}
