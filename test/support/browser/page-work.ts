import type { Page } from 'playwright-core';

interface TraceEvent {
  name: string;
  /** X: it has an end. */
  ph: string;
  pid: number;
  tid: number;
  /** Processor time in µs; undefined for work that had begun before, or has not ended. */
  tdur?: number;
  args?: { name?: string };
}

/**
 * What the main thread of a page works while something happens. It is processor time: beside other work a task takes
 * longer, and that says nothing of the page.
 *
 * @returns times in ms
 */
export async function measurePageWork(
  page: Page,
  meanwhile: () => Promise<void>,
): Promise<{ longestTaskMs: number; tasksOver50Ms: number; totalMs: number }> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel', '__metadata'] });
  await meanwhile();
  const { traceEvents: events } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  const threads = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  const tasks = events
    .filter(({ name, ph }) => name === 'ThreadControllerImpl::RunTask' && ph === 'X')
    .filter(({ pid, tid }) => threads.some((thread) => thread.pid === pid && thread.tid === tid))
    .map(({ tdur = 0 }) => tdur / 1_000);
  if (tasks.length === 0) {
    throw new Error('The trace of the browser names no task of the page.');
  }
  return {
    longestTaskMs: Math.max(...tasks),
    tasksOver50Ms: tasks.filter((ms) => ms > 50).length,
    totalMs: Math.round(tasks.reduce((sum, ms) => sum + ms, 0)),
  };
}
