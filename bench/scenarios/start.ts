import { freePort } from '../../src/platform/node/free-port.js';
import { Installation } from '../installation.js';
import { readAllStats, readMemory, treeSeconds } from '../processes.js';
import { nothingDelivered, type Scenario } from '../scenario.js';
import { ServiceProcess } from '../service-process.js';

/** Has a process say how many files it has loaded, at each of them. */
const COUNT = `data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   const loaded = new Set();
   registerHooks({ load(url, context, next) {
     if (url.startsWith('file:')) process.stderr.write('\\nSCRIPTS ' + loaded.add(url).size + '\\n');
     return next(url, context);
   } });`,
)}`;
const COUNTING = ['--import', COUNT];
const HELP = ['trigger', '--help'];

/** How long the program takes until it serves, and what that costs. A run before those that count has filled caches. */
export const start: Scenario = {
  name: 'start',
  title: 'from the call to the first answer: all in one, API, daemon; and the help of a command',
  runs: 5,
  delivers: false,
  async prepare() {
    const counts = await startEach(COUNTING);
    const scripts = Object.entries(counts).filter(([name]) => name.endsWith('Scripts'));
    return async () => ({ ...nothingDelivered, details: { ...(await startEach([])), ...Object.fromEntries(scripts) } });
  },
};

/** Figures of each kind of start, one after the other. CPU is of the process with all that it has started. */
async function startEach(nodeFlags: readonly string[]): Promise<Record<string, number>> {
  const details: Record<string, number> = {};
  const measure = async <Started>(
    name: string,
    begin: () => Promise<Started>,
    processOf: (of: Started) => ServiceProcess,
  ) => {
    const from = performance.now();
    const started = await begin();
    details[`${name}Seconds`] = (performance.now() - from) / 1000;
    const { pid, output } = processOf(started);
    details[`${name}CpuSeconds`] = treeSeconds(readAllStats() ?? new Map(), pid);
    details[`${name}MiB`] = readMemory(pid) ?? Number.NaN;
    details[`${name}Scripts`] = scriptsIn(output);
    return started;
  };
  await using installation = new Installation({}, nodeFlags);
  const allInOne = () => installation.start();
  const first = await measure('new', allInOne, ({ process }) => process);
  await installation.stop(first.process);
  const second = await measure('existing', allInOne, ({ process }) => process);
  await installation.stopAllInOne(second); // leaves a database
  const api = await measure(
    'api',
    () => installation.startApi(),
    ({ process }) => process,
  );
  await installation.stop(api.process);
  await measure(
    'daemon',
    () => readyDaemon(installation),
    (process) => process,
  );

  const from = performance.now();
  const help = new ServiceProcess(HELP, {}, nodeFlags);
  await help.finished();
  details['helpSeconds'] = (performance.now() - from) / 1000;
  details['helpScripts'] = scriptsIn(help.output);
  return details;
}

async function readyDaemon(installation: Installation): Promise<ServiceProcess> {
  const port = await freePort();
  const daemon = await installation.startDaemon({ METRICS_PORT: `${port}` });
  await daemon.untilReady(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).ok);
  return daemon;
}

const scriptsIn = (output: string): number => Number([...output.matchAll(/^SCRIPTS (\d+)$/gm)].at(-1)?.[1]);
