import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { openServer } from './loopback.js';

interface CollectedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: Record<string, string>;
  failed: boolean;
  service: string;
  resource: Record<string, string>;
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
  headers: IncomingHttpHeaders[];
  /** Everything that came, as text. */
  bodies: string[];
  connections: number;
  /** The status of its answers. */
  status: number;
}

const STATUS_ERROR = 2;

export async function startCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const text = String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
    if (request.url === '/v1/traces') {
      collector.headers.push(request.headers);
      collector.bodies.push(text);
      collector.spans.push(...spansOf(JSON.parse(text)));
    }
    response.writeHead(collector.status, { 'content-type': 'application/json' }).end('{}');
  });
  server.on('connection', () => {
    collector.connections += 1;
  });
  const { port, close } = await openServer(server);
  const collector: Collector = {
    url: `http://127.0.0.1:${port}`,
    spans: [],
    headers: [],
    bodies: [],
    connections: 0,
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
        resource: plain(resource.attributes),
      })),
    ),
  );
}
