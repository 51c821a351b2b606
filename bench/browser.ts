import type { Browser, Page } from 'playwright-core';

/** The browser of scenarios that look at pages, and what it knows of how they run. */

/** There is no browser, or no playwright-core to drive it with. The message says in a line what to do. */
export class NoBrowser extends Error {}

/** @throws NoBrowser */
export async function launch(): Promise<Browser> {
  const { launchBrowser } = await import('../test/support/browser/open-page.js').catch(() => {
    throw new NoBrowser('This scenario drives a browser with the development dependencies. Install them: npm ci');
  });
  return await launchBrowser().catch(({ message }: Error) => {
    throw new NoBrowser(`This scenario needs a browser. ${message}`);
  });
}

/** The JavaScript heap after two collections, in MiB. */
export async function heapMiB(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  try {
    // What only finalizers let go is gone after the second.
    await devtools.send('HeapProfiler.collectGarbage');
    await devtools.send('HeapProfiler.collectGarbage');
    const { usedSize } = await devtools.send('Runtime.getHeapUsage');
    return usedSize / 2 ** 20;
  } finally {
    await devtools.detach();
  }
}

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ph: string;
  /** Microseconds: of the clock, and of the thread's own time. */
  ts: number;
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

/** A piece of work of the page's main thread: scripts, styles, layout, painting. In milliseconds. */
interface Task {
  at: number;
  /** Time on a processor: on a busy machine less than what passed. */
  cpu: number;
}

/** The tasks of the page's main thread while `work` runs. */
export async function tasksDuring(page: Page, work: () => Promise<void>): Promise<Task[]> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['disabled-by-default-devtools.timeline', '__metadata'] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const mainThreads = traceEvents.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const tasks = mainThreads.map(({ pid, tid }) =>
    traceEvents.filter((event) => event.name === 'RunTask' && event.pid === pid && event.tid === tid),
  );
  const busiest = tasks.sort((a, b) => b.length - a.length)[0] ?? [];
  return busiest.map(({ ts, dur = 0, tdur = dur }) => ({ at: ts / 1000, cpu: tdur / 1000 }));
}

/** The time on a processor in each stretch of so many milliseconds, in their order. */
export function cpuPer(ms: number, tasks: readonly Task[]): number[] {
  const from = Math.min(...tasks.map(({ at }) => at));
  const sums: number[] = [];
  for (const { at, cpu } of tasks) {
    const place = Math.floor((at - from) / ms);
    sums[place] = (sums[place] ?? 0) + cpu;
  }
  return Array.from(sums, (sum) => sum ?? 0);
}
