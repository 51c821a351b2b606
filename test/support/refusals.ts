import { expect } from 'vitest';
import type { RestAnswer, RestApi, RestRequest } from './rest-api.js';
import { fingerprint, innards, longTexts } from './untouched.js';

/** Texts without blanks, as a list. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

/** Bad requests to REST, counted. */
export class Refusals {
  count = 0;

  private constructor(
    private readonly api: RestApi,
    private readonly untouched: string,
  ) {}

  /** From now on nothing may be written. */
  static async of(api: RestApi): Promise<Refusals> {
    return new Refusals(api, await fingerprint(api.owner));
  }

  /** A problem as it has to be: typed, complete, and telling nothing of how the service is made. */
  async expect(line: string, request: RestRequest, statuses: number[]): Promise<RestAnswer> {
    const answer = await this.api.ask(line, request);
    const { status, headers, body, text } = answer;
    expect(statuses, `${line} ${text.slice(0, 200)}`).toContain(status);
    expect(headers['content-type']).toBe('application/problem+json');
    expect(body).toMatchObject({
      status,
      code: expect.stringMatching(/^[a-z_]+$/),
      detail: expect.stringMatching(/./),
    });
    expect(text).not.toMatch(innards);
    expect(text.length).toBeLessThan(20_000);
    for (const long of longTexts([request.json, request.payload, line])) {
      expect(text).not.toContain(long);
    }
    this.count += 1;
    return answer;
  }

  async expectNothingWritten(): Promise<void> {
    expect(await fingerprint(this.api.owner)).toBe(this.untouched);
  }
}
