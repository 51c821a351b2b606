import { type Claim, readClaim, type Scheme } from './claim.js';
import { bodyChange, diagnose } from './diagnose.js';
import {
  type HeaderNames,
  type HeaderOptions,
  type HeadersInput,
  headerReader,
  namesOf,
  type ReadHeader,
} from './headers.js';
import { KeySet, keySetOf, type PublicKeys } from './jwks.js';
import { type Refusal, refuse } from './refusal.js';
import { readSecrets, type SecretKeys, type Secrets } from './secrets.js';
import { type Bytes, fittingSecret } from './signature.js';

export interface VerifyOptions extends HeaderOptions {
  /** How far the delivery's timestamp may be from this machine's clock, in seconds. Default: 300. */
  toleranceSeconds?: number | undefined;
  /** `contract` takes `X-Service-Signature` in place of `webhook-signature`. Default: `standard`. */
  scheme?: Scheme | undefined;
  /** The time to compare with, for tests. Default: the clock. */
  now?: Date | undefined;
}

/** A delivery that the service signed. */
export interface Delivery<Event extends string = string, Payload = unknown> {
  ok: true;
  /** The same at each attempt: the key by which repetitions are known. */
  deliveryId: string;
  /** The event's name. No signature covers its header. Empty when there is none. */
  event: Event;
  /** The parsed body; undefined when it is not JSON. */
  payload: Payload;
  /** When this attempt was sent. */
  sentAt: Date;
  scheme: Scheme;
  /** The place of the secret that fits. -1: public keys were given. */
  secret: number;
  /** The public key that fits. */
  kid?: string;
}

export type Verdict<Payload = unknown> = Delivery<string, Payload> | Refusal;

const TOLERANCE_SECONDS = 300;

const PARSED =
  'The body was parsed: pass the bytes as they came. Express: express.raw({ type: "*/*" }) on the route. ' +
  'Fastify: addContentTypeParser("*", { parseAs: "buffer" }, …). Next, Hono, fetch: await request.arrayBuffer(). ' +
  'Nest: NestFactory.create(AppModule, { rawBody: true }).';

const NO_HEADERS = 'There are no headers: pass them (AWS ALB: event.multiValueHeaders).';

/**
 * Whether a request is a delivery that was signed with one of the secrets, or by a key pair whose public keys are at an
 * address: `{ jwks }`. Nothing that a stranger sends makes it throw.
 *
 * @param rawBody the bytes as they came, or their text; anything else is `BODY_PARSED`
 * @param headers of the request; null and undefined are `NO_SIGNATURE`
 * @throws SecretMalformedError for a secret that the service cannot have made; TypeError for public keys over http
 */
export async function verify<Payload = unknown>(
  rawBody: unknown,
  headers: HeadersInput,
  secrets: Secrets | PublicKeys,
  options: VerifyOptions = {},
): Promise<Verdict<Payload>> {
  return (await verifyBy(readKeys(secrets), rawBody, headers, options)) as Verdict<Payload>;
}

export type ReadKeys = readonly SecretKeys[] | KeySet;

/** @throws as `verify` */
export const readKeys = (keys: Secrets | PublicKeys | undefined): ReadKeys =>
  typeof keys === 'object' && 'jwks' in keys ? keySetOf(keys) : readSecrets(keys);

/** `verify` with secrets that were read before. */
export async function verifyBy(
  keys: ReadKeys,
  rawBody: unknown,
  headers: HeadersInput,
  options: VerifyOptions,
): Promise<Verdict> {
  const tolerance = toleranceOf(options);
  const body = bytesOf(rawBody);
  if (body === null) {
    return refuse('BODY_PARSED', PARSED);
  }
  const names = namesOf(options);
  const header = headerReader(headers);
  if (header === null) {
    return refuse('NO_SIGNATURE', NO_HEADERS);
  }
  const byPair = keys instanceof KeySet;
  const claim = byPair
    ? readClaim('standard', header, names, 'v1a')
    : readClaim(options.scheme ?? 'standard', header, names);
  if ('reason' in claim) {
    return claim;
  }
  const signer = byPair ? await keyOf(keys, claim, body, header) : await secretOf(keys, claim, body, header, names);
  if ('reason' in signer) {
    return signer;
  }
  const sentAt = new Date(Number(claim.timestamp) * 1_000);
  return (
    refuseByAge(sentAt, options.now ?? new Date(), tolerance) ??
    delivery(claim, body, header(names.event), sentAt, signer)
  );
}

/** The secret or the key that has signed. */
type Signer = Pick<Delivery, 'secret' | 'kid'>;

async function secretOf(
  secrets: readonly SecretKeys[],
  claim: Claim,
  body: Bytes,
  header: ReadHeader,
  names: HeaderNames,
): Promise<Signer | Refusal> {
  const secret = await fittingSecret(secrets, claim, body);
  return secret < 0 ? diagnose(secrets, claim, body, header, names) : { secret };
}

async function keyOf(keys: KeySet, claim: Claim, body: Bytes, header: ReadHeader): Promise<Signer | Refusal> {
  try {
    const kid = await keys.fitting(claim, body);
    const fits = async (original: Bytes) => (await keys.fitting(claim, original)) !== null;
    return kid === null
      ? ((await bodyChange(fits, body, header)) ??
          refuse('WRONG_KEY', 'No public key fits. Most often the address is that of another tenant or environment.'))
      : { secret: -1, kid };
  } catch (error) {
    return refuse('KEYS_UNAVAILABLE', (error as Error).message);
  }
}

/** @throws RangeError: with NaN or Infinity no timestamp would ever be refused */
export function toleranceOf({ toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions): number {
  if (!Number.isFinite(toleranceSeconds) || toleranceSeconds < 0) {
    throw new RangeError(`toleranceSeconds is ${toleranceSeconds}: it must be a number from 0 on`);
  }
  return toleranceSeconds;
}

function refuseByAge(sentAt: Date, now: Date, tolerance: number): Refusal | null {
  const seconds = (now.getTime() - sentAt.getTime()) / 1_000;
  if (Math.abs(seconds) <= tolerance) {
    return null;
  }
  const distance = `${Math.ceil(Math.abs(seconds))} s`;
  return seconds > 0
    ? refuse('TOO_OLD', `It was sent ${distance} ago, and ${tolerance} s are allowed. Is your clock right?`)
    : refuse('TOO_NEW', `It was sent ${distance} in the future, and ${tolerance} s are allowed. Is your clock right?`);
}

function delivery(claim: Claim, body: Bytes, event: ReturnType<ReadHeader>, sentAt: Date, signer: Signer): Delivery {
  const payload = parse(body);
  return { ok: true, deliveryId: claim.id, event: event ?? '', payload, sentAt, scheme: claim.scheme, ...signer };
}

function parse(body: Bytes): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/** @returns null for something that is neither bytes nor text */
function bytesOf(body: unknown): Bytes | null {
  if (typeof body === 'string') {
    return new TextEncoder().encode(body);
  }
  if (body instanceof ArrayBuffer) {
    return new Uint8Array(body);
  }
  return ArrayBuffer.isView(body) ? new Uint8Array(body.buffer as ArrayBuffer, body.byteOffset, body.byteLength) : null;
}
