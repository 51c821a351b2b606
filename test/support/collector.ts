import { createServer } from 'node:http';
import { openServer } from './loopback.js';

interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, string>;
  failed: boolean;
  service: string;
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}

interface OtlpBody {
  resourceSpans: {
    resource: { attributes: OtlpAttribute[] };
    scopeSpans: {
      spans: (Pick<CollectedSpan, 'name' | 'traceId' | 'spanId' | 'parentSpanId'> & {
        attributes: OtlpAttribute[];
        status: { code?: number };
      })[];
    }[];
  }[];
}

/** An OpenTelemetry collector that takes OTLP over HTTP as JSON. */
export interface Collector extends AsyncDisposable {
  url: string;
  spans: CollectedSpan[];
  /** Everything that came, as text. */
  bodies: string[];
  /** The status of its answers. */
  status: number;
}

const STATUS_ERROR = 2;

export async function startCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) {
      text += chunk;
    }
    if (request.url === '/v1/traces') {
      collector.bodies.push(text);
      collector.spans.push(...spansOf(JSON.parse(text)));
    }
    response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
  });
  const { port, close } = await openServer(server);
  const collector: Collector = {
    url: `http://127.0.0.1:${port}`,
    spans: [],
    bodies: [],
    status: 200,
    [Symbol.asyncDispose]: close,
  };
  return collector;
}

const plain = (attributes: readonly OtlpAttribute[]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));

function spansOf({ resourceSpans }: OtlpBody): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId, attributes, status }) => ({
        name,
        traceId,
        spanId,
        ...(parentSpanId ? { parentSpanId } : {}),
        attributes: plain(attributes),
        failed: status.code === STATUS_ERROR,
        service: plain(resource.attributes)['service.name'] ?? '',
      })),
    ),
  );
}
