import 'reflect-metadata';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Closing } from '../../src/cli/observe.js';
import { launchBrowser } from '../support/browser/open-page.js';
import { type Installation, startInstallation } from './installation.js';
import { type Picture, pictures } from './list.js';
import { announce, portalLink, runningBehind, tellingObjects } from './running.js';
import { shoot } from './shoot.js';

const USAGE = `npm run pictures -- [options]
  --to <folder>       where pictures are written (docs/pictures)
  --only <name>       this one alone
  --look <name|path>  this one, or any path, at 1280 and 390 pixels and in both themes, into ${tmpdir()}
  --serve             keep a seeded installation running and say how to get in; PORT and other settings are heard
  --events <n>        with --serve: events a second (2; 0: none)
  --link              make a link into the portal, which works once and within a minute; with --at
  --at <url>          take pictures of what runs there, a service that --serve keeps running, or a server in front of it
`;
const LOOK_FOLDER = join(tmpdir(), 'hookwright-pictures');

const { values: options } = parseArgs({
  options: {
    to: { type: 'string', default: 'docs/pictures' },
    only: { type: 'string' },
    look: { type: 'string' },
    serve: { type: 'boolean', default: false },
    events: { type: 'string', default: '2' },
    link: { type: 'boolean', default: false },
    at: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const closings: Closing[] = [];
const ended = Promise.withResolvers<void>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => ended.resolve());
}

try {
  process.exitCode = await run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
} finally {
  for (const close of closings.reverse()) {
    await close(false);
  }
}
process.exit();

async function run(): Promise<number> {
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (options.serve) {
    try {
      buildDashboard();
    } catch {
      process.stderr.write('The dashboard could not be built: its pages are those of the last build, if any.\n');
    }
    await serve(await startInstallation({ eventsPerSecond: Number(options.events), hostile: true }, closings));
    return 0;
  }
  const { look, only, to, at } = options;
  if (options.link) {
    process.stdout.write(`${await portalLink(at)}\n`);
    return 0;
  }
  const wanted = look === undefined ? pictures.filter(({ name }) => (only ?? name) === name) : looks(look);
  if (wanted.length === 0) {
    throw new Error(`There is no picture ${only}; there are ${pictures.map(({ name }) => name).join(', ')}.`);
  }
  if (at === undefined) {
    buildDashboard();
  }
  const browser = await launchBrowser();
  closings.push(() => browser.close());
  const installation =
    at === undefined
      ? await startInstallation({ eventsPerSecond: 0, hostile: false }, closings)
      : await runningBehind(at);
  const folder = look === undefined ? to : LOOK_FOLDER;
  const objects = await tellingObjects(at ?? installation.origin, installation.keys.tenant);
  let faulty = 0;
  for (const picture of wanted) {
    const taken = shoot({ browser, origin: at ?? installation.origin, installation, objects, folder }, picture);
    const { file, bytes, faults } = await taken;
    process.stdout.write([`${file} (${Math.ceil(bytes / 1000)} kB)`, ...faults].join('\n  ! ').concat('\n'));
    faulty += Number(faults.length > 0);
  }
  return Math.min(faulty, 1);
}

/** Builds the dashboard as it is now. With --at another server has it. */
function buildDashboard(): void {
  execFileSync('npm', ['run', '--silent', 'dashboard:build'], { stdio: 'inherit' });
}

/** Takes both widths and themes. @param what the name of a picture, or a path */
function looks(what: string): Picture[] {
  const isPath = what.startsWith('/');
  const base = isPath
    ? { name: what.slice(1).replaceAll(/[^\w]+/g, '-'), path: what }
    : pictures.find(({ name }) => name === what);
  if (base === undefined) {
    throw new Error(`${what} is neither a path nor one of ${pictures.map(({ name }) => name).join(', ')}.`);
  }
  return [1280, 390].flatMap((width) =>
    (['light', 'dark'] as const).map((theme) => ({
      ...base,
      name: `${base.name}-${width}-${theme}`,
      width,
      theme,
    })),
  );
}

async function serve(installation: Installation): Promise<void> {
  const { origin, keys, tenants } = installation;
  closings.push(announce(installation));
  const lines = [
    `The seeded installation is ready at ${origin}`,
    `  ${tenants.map(({ id, name }) => `${name} is tenant ${id}`).join(', ')}`,
    `  platform key        ${keys.platform}`,
    `  ${tenants[0]!.name}    ${keys.tenant}`,
    `  hostile tenant      ${keys.hostile ?? 'none'}`,
    `  the dashboard with hot reload:  HOOKWRIGHT_URL=${origin} npm run dashboard:dev`,
    '  to look at a page of it:        npm run pictures -- --look /portal/endpoints --at http://localhost:5173',
    `  a link into the portal:         npm run pictures -- --link --at ${origin}`,
    'It runs until Ctrl-C.',
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  await ended.promise;
}
