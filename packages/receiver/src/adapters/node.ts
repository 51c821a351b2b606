import type { Answer, ReadBody } from '../webhook.js';

/** A request of `node:http`, with what body parsers leave on it. */
export interface NodeRequest {
  method?: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What a parser made of the body. */
  body?: unknown;
  /** The bytes, kept by a parser: Nest's `rawBody: true`, `verify` of `express.json`, Cloud Functions. */
  rawBody?: unknown;
  readableDidRead?: boolean;
  /** Its types differ between versions of Node's types, so this says no more than that it is there. */
  on(event: never, listener: never): unknown;
}

export interface NodeResponse {
  statusCode: number;
  headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

export const isBytes = (body: unknown): body is Uint8Array | string =>
  typeof body === 'string' || body instanceof Uint8Array;

export const keptBytes = ({ rawBody, body }: Pick<NodeRequest, 'rawBody' | 'body'>) => [rawBody, body].find(isBytes);

/** The bytes that a parser kept, or those of the connection if nobody has read them. */
export function readNode(request: NodeRequest, bytesMax: number): Promise<ReadBody> | ReadBody {
  const kept = keptBytes(request);
  if (kept !== undefined) {
    return { bytes: kept };
  }
  // Express 4 sets an empty object where its parsers passed the body over.
  const isUnread = request.readableDidRead === false || (request.readableDidRead ?? request.body) === undefined;
  return isUnread ? readStream(request, bytesMax) : { failure: 'PARSED' };
}

function readStream(request: NodeRequest, bytesMax: number): Promise<ReadBody> | ReadBody {
  if (Number(request.headers['content-length']) > bytesMax) {
    return { failure: 'TOO_LARGE' };
  }
  const on = (event: string, listener: (chunk: Uint8Array) => void) => request.on(event as never, listener as never);
  return new Promise((resolve) => {
    let chunks: Uint8Array[] = [];
    let length = 0;
    on('data', (chunk) => {
      length += chunk.length;
      if (length > bytesMax) {
        // The rest is read and dropped, so that the client comes to read the answer.
        chunks = [];
        resolve({ failure: 'TOO_LARGE' });
      } else {
        chunks.push(chunk);
      }
    });
    on('end', () => resolve({ bytes: joined(chunks, length) }));
    for (const end of ['error', 'close']) {
      on(end, () => resolve({ failure: 'CUT_OFF' }));
    }
  });
}

export function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

export function writeNode(response: NodeResponse, { status, headers, body }: Answer): void {
  // A time limit of the application may have answered.
  if (response.headersSent) {
    return;
  }
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    response.setHeader(name, value);
  }
  response.end(body);
}
