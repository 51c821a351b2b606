import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir } from '../src/platform/embedded-postgres/embedded-postgres.js';
import { freePort } from '../src/platform/node/free-port.js';
import { type Api, post } from './client.js';
import { BenchDatabase } from './database.js';
import { ServiceProcess } from './service-process.js';

/** The program's settings for the bench; everything else is as shipped. */
export type Env = Record<string, string>;

/** A running API. */
export interface Service extends Api {
  process: ServiceProcess;
  metricsUrl: string;
}

const HOST = '127.0.0.1';
/** The all-in-one mode allows these targets by default; the split mode needs the settings. */
const loopbackTargets: Env = { ALLOW_HTTP_URLS: 'true', ALLOW_PRIVATE_TARGETS: '127.0.0.0/8' };

/**
 * A fresh installation of the service in a temporary folder: the all-in-one mode with its own Postgres, or, when the
 * bench runs with DATABASE_URL, over a new database on that server.
 */
export class Installation implements AsyncDisposable {
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'hookwright-bench-'));
  readonly #processes: ServiceProcess[] = [];
  readonly #externalKeys = process.env['ENCRYPTION_KEYS'] ?? `bench:${randomBytes(32).toString('base64')}`;
  #database: BenchDatabase | undefined;
  #apiKey: string | undefined;
  /** Of a database that is there, and stays. */
  #givenUrl: string | undefined;

  constructor(
    private readonly settings: Env,
    private readonly nodeFlags: readonly string[],
  ) {
    chmodSync(this.#dataDir, 0o755); // run by root, Postgres belongs to another user, who must be able to enter
  }

  get processes(): readonly ServiceProcess[] {
    return this.#processes;
  }

  /** The database, which is started if it is not running. */
  async database(): Promise<BenchDatabase> {
    this.#database ??= await this.#open();
    return this.#database;
  }

  #open(): Promise<BenchDatabase> {
    const serverUrl = process.env['DATABASE_URL'];
    if (this.#givenUrl !== undefined) {
      return BenchDatabase.given(this.#givenUrl);
    }
    return serverUrl ? BenchDatabase.temporary(serverUrl) : BenchDatabase.embedded(this.#dataDir);
  }

  get #isExternal(): boolean {
    return this.#givenUrl !== undefined || Boolean(process.env['DATABASE_URL']);
  }

  /**
   * Works with a database that is there, and migrates it.
   *
   * @throws Error without the variable ENCRYPTION_KEYS: what is sealed there could not be read
   */
  async takeDatabase(url: string): Promise<void> {
    if (!process.env['ENCRYPTION_KEYS']) {
      throw new Error('ENCRYPTION_KEYS is not set; a database that stays needs the same keys in each run.');
    }
    this.#givenUrl = url;
    await this.#command(['migrate'], await this.#splitEnv());
  }

  /** Opens the database again, on a server that has read its settings again: the built-in one is restarted. */
  async reopenDatabase(): Promise<BenchDatabase> {
    await this.#database?.[Symbol.asyncDispose]();
    this.#database = undefined;
    return this.database();
  }

  get isBuiltIn(): boolean {
    return !this.#isExternal;
  }

  /** As the service reads them: `kid:base64`. */
  get encryptionKeys(): string {
    return this.#isExternal ? this.#externalKeys : `local:${this.#read('encryption-key')}`;
  }

  /** Starts API and daemon in one process, as `npm start` does, and waits until it answers. */
  async start(): Promise<Service> {
    const env = this.#isExternal ? await this.#splitEnv() : {};
    const service = await this.#serve('start', env);
    await this.database();
    return service;
  }

  /** Starts an API alone, over the database, and waits until it answers. */
  async startApi(): Promise<Service> {
    return this.#serve('api', await this.#splitEnv());
  }

  async #serve(command: 'start' | 'api', env: Env): Promise<Service> {
    const port = await freePort();
    const metricsPort = await freePort();
    const process = this.#spawn([command], { ...env, HOST, PORT: `${port}`, METRICS_PORT: `${metricsPort}` });
    const origin = `http://${HOST}:${port}`;
    await process.untilReady(async () => isServing(origin, await this.#readApiKey()));
    const metricsUrl = `http://${HOST}:${metricsPort}/metrics`;
    return { process, origin, apiKey: await this.#readApiKey(), metricsUrl };
  }

  /** Starts a daemon alone, over the database, with these settings besides. */
  async startDaemon(env: Env = {}): Promise<ServiceProcess> {
    return this.#spawn(['daemon'], { ...(await this.#splitEnv()), ...env });
  }

  /** Ends a process; with the all-in-one mode's, its Postgres ends too. */
  async stop(process: ServiceProcess): Promise<void> {
    await process[Symbol.asyncDispose]();
    this.#processes.splice(this.#processes.indexOf(process), 1);
  }

  /** Ends the process of the all-in-one mode, and keeps or gets its database running. */
  async stopAllInOne(service: Service): Promise<BenchDatabase> {
    await this.stop(service.process);
    return this.#isExternal ? this.database() : this.reopenDatabase();
  }

  #spawn(args: readonly string[], env: Env): ServiceProcess {
    const all = { DATA_DIR: this.#dataDir, LOG_LEVEL: 'warn', ...this.settings, ...env };
    const service = new ServiceProcess(args, all, this.nodeFlags);
    this.#processes.push(service);
    return service;
  }

  /** The settings of processes that share a database. */
  async #splitEnv(): Promise<Env> {
    const { url } = await this.database();
    return { ...loopbackTargets, DATABASE_URL: url, ENCRYPTION_KEYS: this.encryptionKeys };
  }

  /** In the all-in-one mode the service makes a key; over a database that it was given, an operator does. */
  async #readApiKey(): Promise<string> {
    // The file can be seen before the key is in it: `||`, so that it is read again.
    this.#apiKey ||= this.#isExternal ? await this.#makeApiKey() : this.#read('api-key');
    return this.#apiKey;
  }

  async #makeApiKey(): Promise<string> {
    // In a database that stays, an earlier run has made one.
    return this.makeTenant(this.#givenUrl === undefined ? 'bench' : `bench ${randomBytes(4).toString('hex')}`);
  }

  /** Makes a tenant, as an operator does. @returns a key with every scope of it */
  async makeTenant(name: string): Promise<string> {
    const made = await this.#command(['tenant', 'create', name], await this.#splitEnv());
    return this.makeKey(Number(/Tenant (\d+)/.exec(made)?.[1]));
  }

  /** @returns a key with every scope of the tenant */
  async makeKey(tenantId: number): Promise<string> {
    const env = await this.#splitEnv();
    const text = await this.#command(['key', 'create', 'bench', '--tenant', `${tenantId}`], env);
    return /hw_\S+/.exec(text)?.[0] ?? '';
  }

  /** @returns a platform key with every scope */
  async makePlatformKey(): Promise<string> {
    const text = await this.#command(['key', 'create', 'bench', '--platform'], await this.#splitEnv());
    return /hw_\S+/.exec(text)?.[0] ?? '';
  }

  async #command(args: readonly string[], env: Env): Promise<string> {
    const command = this.#spawn(args, env);
    const text = await command.finished();
    await this.stop(command);
    return text;
  }

  #read(file: string): string {
    return readFileSync(join(this.#dataDir, file), 'utf8').trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((service) => service[Symbol.asyncDispose]()));
    await this.#database?.[Symbol.asyncDispose]();
    removeDataDir(this.#dataDir);
  }
}

async function isServing(origin: string, apiKey: string): Promise<boolean> {
  const { statusCode } = await post({ origin, apiKey }, '{ viewer { scopes } }');
  return statusCode === 200;
}
