import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { couponPayload, makeTenant, type TestTenant } from './factories.js';
import { expectProblem, type RestAnswer, RestApi, type RestRequest } from './rest-api.js';

export const emitOne =
  'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { id } deliveryCount duplicate } }';
export const emitSeveral =
  'mutation ($input: EmitEventsInput!) { emitEvents(input: $input) { results { error { code } } } }';
export const coupon = { event: 'coupon.applied', payload: couponPayload };
export const many = (count: number) => ({ input: { events: Array<object>(count).fill(coupon) } });

/** The API, for the tests of a `describe`, with a monotonic clock that stands unless a test moves it. */
export class LimitedApi {
  nowMs = 0;
  api!: RestApi;

  constructor(private readonly settings: Record<string, string>) {
    beforeAll(async () => {
      this.api = await RestApi.open(this.settings, undefined, () => this.nowMs);
    });
    beforeEach(() => {
      this.nowMs += 1_000_000; // all buckets are full
    });
    afterAll(() => this.api[Symbol.asyncDispose]());
  }

  graphql(query: string, variables: object = {}, options: RestRequest = {}): Promise<RestAnswer> {
    return this.api.ask('POST //graphql', { json: { query, variables }, ...options });
  }

  newTenant(): Promise<TestTenant> {
    return makeTenant(this.api.services);
  }
}

/** Expects a refusal for a limit, in the form of REST or of GraphQL. */
export function expectLimited(answer: RestAnswer, retryAfterSeconds: number): void {
  expect(answer.status).toBe(429);
  expect(answer.headers['retry-after']).toBe(String(retryAfterSeconds));
  if (answer.body.errors === undefined) {
    expectProblem(answer, 'rate_limited');
  } else {
    expect(answer.body.data ?? null).toBeNull();
    const extensions = { code: 'RATE_LIMITED', reason: 'rate_limited', retryAfterSeconds };
    expect(answer.body.errors[0].extensions).toEqual(extensions);
  }
}
