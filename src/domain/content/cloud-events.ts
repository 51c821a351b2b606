import { pointerOf } from '../schema-rules/json-pointer.js';

/** CloudEvents 1.0 over HTTP (https://github.com/cloudevents/spec), in binary and structured mode. */

export interface Origin {
  tenantId: number;
  /** `CLOUDEVENTS_SOURCE`. */
  cloudEventsSource: string | undefined;
  /** `PUBLIC_URL`. */
  publicUrl: string | undefined;
  /** Whether the payload is sent as the schema of its type describes it. */
  isWhole: boolean;
}

interface CloudEvent {
  id: number;
  type: string;
  time: string;
}

type Attributes = Readonly<Record<string, string>>;

function attributesOf({ id, type, time }: CloudEvent, origin: Origin): Attributes {
  return {
    specversion: '1.0',
    id: String(id),
    source: origin.cloudEventsSource ?? `${origin.publicUrl ?? ''}/tenants/${origin.tenantId}`,
    type,
    time,
    ...(origin.publicUrl === undefined || !origin.isWhole ? {} : { dataschema: schemaUrl(origin.publicUrl, type) }),
  };
}

/** The schema in the OpenAPI document of the installation. */
function schemaUrl(publicUrl: string, type: string): string {
  const steps = ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema'];
  return `${publicUrl}/api/v1/openapi.json#${pointerOf(steps)}`;
}

/** The headers of binary mode, whose body is the payload. */
export const binaryHeaders = (event: CloudEvent, origin: Origin): Record<string, string> =>
  Object.fromEntries(Object.entries(attributesOf(event, origin)).map(([name, value]) => [`ce-${name}`, value]));

export const STRUCTURED_TYPE = 'application/cloudevents+json';

/** The envelope of structured mode. The text of the payload stays as it is, so numbers stay exact. */
export const structuredBody = (event: CloudEvent, origin: Origin, payload: string): string =>
  `${JSON.stringify({ ...attributesOf(event, origin), datacontenttype: 'application/json' }).slice(0, -1)},"data":${payload}}`;
