import { pointerOf } from '../schema-rules/json-pointer.js';
import { changedPaths, type ShownChanges } from './changes.js';

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

function attributesOf({ id, type, time }: CloudEvent, origin: Origin, changes: ShownChanges | null): Attributes {
  return {
    specversion: '1.0',
    id: String(id),
    source: origin.cloudEventsSource ?? `${origin.publicUrl ?? ''}/tenants/${origin.tenantId}`,
    type,
    time,
    ...(origin.publicUrl === undefined || !origin.isWhole ? {} : { dataschema: schemaUrl(origin.publicUrl, type) }),
    ...(changes === null ? {} : { changed: changedText(changes) }),
  };
}

/** A header holds it in binary mode. */
const CHANGED_CHARS_MAX = 1_000;

/** The extension `changed`: paths with commas between them. Where more have changed it ends with an asterisk. */
function changedText(changes: ShownChanges): string {
  const paths = changedPaths(changes);
  let text = '';
  for (const [index, path] of paths.entries()) {
    const longer = index === 0 ? path : `${text},${path}`;
    if (longer.length > CHANGED_CHARS_MAX) {
      return `${text}${text === '' ? '' : ','}*`;
    }
    text = longer;
  }
  return changes.truncated ? `${text},*` : text;
}

/** A value in a header of binary mode: other characters than printable ASCII are escaped (HTTP binding, 3.1.3.2). */
const inHeader = (value: string): string =>
  value.replaceAll(/[^!#$&-~]/gu, (one) => (one === '%' ? '%25' : encodeURIComponent(one)));

/** The schema in the OpenAPI document of the installation. */
function schemaUrl(publicUrl: string, type: string): string {
  const steps = ['webhooks', type, 'post', 'requestBody', 'content', 'application/json', 'schema'];
  return `${publicUrl}/api/v1/openapi.json#${pointerOf(steps)}`;
}

/** The headers of binary mode, whose body is the payload. */
export const binaryHeaders = (
  event: CloudEvent,
  origin: Origin,
  changes: ShownChanges | null,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributesOf(event, origin, changes)).map(([name, value]) => [
      `ce-${name}`,
      name === 'changed' ? inHeader(value) : value,
    ]),
  );

export const STRUCTURED_TYPE = 'application/cloudevents+json';

/** The envelope of structured mode. The text of the payload stays as it is, so numbers stay exact. */
export const structuredBody = (
  event: CloudEvent,
  origin: Origin,
  payload: string,
  changes: ShownChanges | null,
): string =>
  `${JSON.stringify({ ...attributesOf(event, origin, changes), datacontenttype: 'application/json' }).slice(0, -1)},"data":${payload}}`;
