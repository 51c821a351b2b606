import type { Answer, ReadBody } from '../webhook.js';
import { joined } from './node.js';

export async function readWeb(request: Request, bytesMax: number): Promise<ReadBody> {
  if (request.bodyUsed) {
    return { failure: 'PARSED' };
  }
  if (Number(request.headers.get('content-length')) > bytesMax) {
    return { failure: 'TOO_LARGE' };
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  try {
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      length += part.value.length;
      if (length > bytesMax) {
        await reader?.cancel();
        return { failure: 'TOO_LARGE' };
      }
      chunks.push(part.value);
    }
  } catch {
    return { failure: 'CUT_OFF' };
  }
  return { bytes: joined(chunks, length) };
}

export const toResponse = ({ body, ...init }: Answer): Response => new Response(body, init);
