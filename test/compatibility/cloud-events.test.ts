import { beforeAll, describe, expect, test } from 'vitest';
import { contentOf } from '../../src/domain/content/content.js';
import { requireCompatibilityInstalled, skipsCompatibilityTests } from '../support/compatibility.js';

/** What tsc cannot find where the package is not installed. */
interface Sdk {
  HTTP: { toEvent(message: { headers: Record<string, string>; body: string }): object };
}
const load = (name: string) => import(/* @vite-ignore */ name) as Promise<Sdk>;

const event = { id: 140_123_456_789_012, tenantId: 7, type: 'booking.created', body: '{"code":"K7","total":10.5}' };
const rules = { cloudEventsSource: undefined, publicUrl: 'https://hooks.example.com', payloadBytesMax: 1_024 };

describe.skipIf(skipsCompatibilityTests())('the SDK of CloudEvents', () => {
  beforeAll(requireCompatibilityInstalled);

  test.each(['CLOUDEVENTS_BINARY', 'CLOUDEVENTS_STRUCTURED'] as const)('reads %s', async (format) => {
    const { HTTP } = await load('cloudevents');
    const { body, headers } = contentOf(
      event,
      { release: null, format, shape: null, text: null, template: null },
      rules,
    )!;
    expect(HTTP.toEvent({ headers: { 'content-type': 'application/json', ...headers }, body })).toMatchObject({
      specversion: '1.0',
      id: '140123456789012',
      source: 'https://hooks.example.com/tenants/7',
      type: 'booking.created',
      time: '2026-01-31T22:43:48.317Z',
      datacontenttype: 'application/json',
      dataschema:
        'https://hooks.example.com/api/v1/openapi.json#/webhooks/booking.created/post/requestBody/content/application~1json/schema',
      data: { code: 'K7', total: 10.5 },
    });
  });
});
