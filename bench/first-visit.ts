import { setTimeout as delay } from 'node:timers/promises';
import type { Browser } from 'playwright-core';

/** A slow line and a slow machine: 1.6 Mbit/s, 150 ms for each answer, a fourth of this machine's speed. */
const LINE = { offline: false, latency: 150, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };
const CPU_SLOWDOWN = 4;
/** A page that has loaded nothing for this long is still. What it loads later is for other screens. */
const STILL_MS = 500;
const TIMEOUT_MS = 60_000;

interface FirstVisit {
  /** Scripts until the page is still. */
  scripts: number;
  /** The bytes of scripts and styles until then, as they are sent. */
  bytes: number;
  /** When the largest text was painted, in ms after the navigation began. */
  lcpMs: number;
}

/**
 * Opens a page over a slow line, with nothing cached.
 *
 * @param kept what the tab has in `sessionStorage`: a name and a session
 */
export async function firstVisit(browser: Browser, url: string, kept: [string, object]): Promise<FirstVisit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  try {
    const [name, session] = kept;
    await context.addInitScript(`
      sessionStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(session))});
      new PerformanceObserver((list) => { globalThis.largestAt = list.getEntries().at(-1).startTime; })
        .observe({ type: 'largest-contentful-paint', buffered: true });`);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', LINE);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
    await page.goto(url);
    // Not `waitForFunction`: the policy of the page refuses the `eval` that it uses.
    const isStill = `(${untilStill})() < performance.now() - ${STILL_MS}`;
    for (const deadline = performance.now() + TIMEOUT_MS; !(await page.evaluate<boolean>(isStill)); ) {
      if (performance.now() > deadline) {
        throw new Error(`${url} is not still after ${TIMEOUT_MS / 1_000} s.`);
      }
      await delay(STILL_MS);
    }
    return await page.evaluate<FirstVisit>(`(() => {
      const stillAt = (${untilStill})();
      const files = performance.getEntriesByType('resource').filter(({ startTime }) => startTime <= stillAt);
      const scripts = files.filter(({ name }) => name.endsWith('.js'));
      const styles = files.filter(({ name }) => name.endsWith('.css'));
      const bytes = [...scripts, ...styles].reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
      return { scripts: scripts.length, bytes, lcpMs: largestAt };
    })()`);
  } finally {
    await context.close();
  }
}

/** In the page: when the last of the files was there that followed each other without a pause. */
const untilStill = `() => {
  let stillAt = globalThis.largestAt ?? Infinity;
  const files = performance.getEntriesByType('resource').sort((one, other) => one.startTime - other.startTime);
  for (const { startTime, responseEnd } of files) {
    if (startTime > stillAt + ${STILL_MS}) {
      break;
    }
    stillAt = Math.max(stillAt, responseEnd);
  }
  return stillAt;
}`;
