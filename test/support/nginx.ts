import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { eventually } from './eventually.js';
import { ownPort } from './loopback.js';
import { temporaryFolder } from './temporary-folder.js';

const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
const found = folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path));

/** Where there is no nginx people go on without the tests that need one; CI does not. */
export const skipsNginxTests = process.env['CI'] !== 'true' && found === undefined;

/** The part of docs/operate.md that says how nginx should be set, with these ports. */
function recommended(ports: readonly number[]): string {
  const page = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');
  const [, text] = /```nginx\n([\s\S]*?)```/.exec(page) ?? [];
  const servers = ports.map((port) => `  server 127.0.0.1:${port} max_fails=0;`).join('\n');
  return text!.replace(/( {2}server .*max_fails=0;\n)+/, `${servers}\n`);
}

interface NginxOptions {
  /** Default: any free one. */
  port?: number;
  /** The path below which the APIs are. */
  path?: string;
  /** Whether it takes the path out of requests. */
  strips?: boolean;
}

/**
 * Debian's nginx in a folder of its own.
 *
 * @param http the part of its settings that is within `http`, for its folder
 */
export async function runNginx(
  http: (folder: string) => string,
  isReady: () => Promise<unknown>,
): Promise<AsyncDisposable> {
  if (found === undefined) {
    throw new Error('There is no nginx. Install it (on Debian: apt-get install nginx-light).');
  }
  const folder = temporaryFolder(0o777);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const config = `
daemon off;
pid ${folder}/pid;
error_log ${folder}/errors;
events {}
http {
access_log off;
${temporary.join('\n')}
${http(folder)}
}`;
  writeFileSync(join(folder, 'nginx.conf'), config);
  const nginx: ChildProcess = spawn(found, ['-p', folder, '-c', join(folder, 'nginx.conf')], { stdio: 'inherit' });
  const ended = once(nginx, 'exit');
  await eventually(isReady);
  return {
    async [Symbol.asyncDispose]() {
      nginx.kill('SIGTERM');
      await ended;
    },
  };
}

/** nginx before APIs on these ports, as docs/operate.md recommends it. */
export async function startNginx(
  ports: readonly number[],
  { port: wanted, path = '', strips = false }: NginxOptions = {},
): Promise<{ origin: string } & AsyncDisposable> {
  const port = wanted ?? (await ownPort());
  const http = recommended(ports)
    .replace(/listen .*;/, `listen 127.0.0.1:${port};`)
    .replace('location /', `location ${path}/`)
    .replace('proxy_pass http://hookwright', strips ? '$&/' : '$&')
    .replace('$host', '$http_host');
  const origin = `http://127.0.0.1:${port}`;
  const running = await runNginx(
    () => http,
    async () => (await fetch(`${origin}${path}/health/live`)).ok,
  );
  return Object.assign(running, { origin });
}
