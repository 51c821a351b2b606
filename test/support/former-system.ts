import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { openServer } from './loopback.js';

/** Answers of a former system, as its API gave them; the data are invented (test/fixtures/import). */
interface Recorded {
  key: string;
  /** By path and query. */
  answers: Readonly<Record<string, unknown>>;
}

export interface FormerSystem extends AsyncDisposable {
  url: string;
  key: string;
  /** What was asked, in its order. */
  asked: string[];
  /** Answers the next requests with these statuses, and asks for no pause. */
  refuseNext(...statuses: number[]): void;
  /** Answers a path in another way from now on. */
  answerAt(path: string, answer: unknown): void;
}

/**
 * Serves recorded answers on loopback, to the recorded key alone.
 *
 * @param changed gives the file another text
 */
export async function serveRecorded(
  name: 'svix' | 'convoy' | 'outpost',
  changed = (text: string) => text,
): Promise<FormerSystem> {
  const file = new URL(`../fixtures/import/${name}.json`, import.meta.url);
  const { key, answers } = JSON.parse(changed(readFileSync(file, 'utf8'))) as Recorded;
  const current = new Map(Object.entries(answers));
  const refusals: number[] = [];
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const refusal = request.headers.authorization === `Bearer ${key}` ? refusals.shift() : 401;
    const status = refusal ?? (current.has(path) ? 200 : 404);
    response.writeHead(status, { 'content-type': 'application/json', ...(status === 429 && { 'retry-after': '0' }) });
    response.end(JSON.stringify(status === 200 ? current.get(path) : { detail: 'refused' }));
  });
  const { port, close } = await openServer(server);
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    asked,
    refuseNext: (...statuses) => void refusals.push(...statuses),
    answerAt: (path, answer) => void current.set(path, answer),
    [Symbol.asyncDispose]: close,
  };
}
