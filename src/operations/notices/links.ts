import { hash, timingSafeEqual } from 'node:crypto';
import { parseId } from '../../domain/ids/id.js';
import type { SecretVault } from '../secrets/secret-vault.js';

export const CONFIRM_PATH = '/notices/confirm/';
export const UNSUBSCRIBE_PATH = '/notices/unsubscribe/';

const SECRET_BYTES = 32;
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** A recipient, and a secret that only its mails have. */
interface Link {
  tenantId: number;
  recipientId: number;
  secret: Buffer;
}

export const linkText = ({ tenantId, recipientId, secret }: Link): string =>
  `${tenantId}.${recipientId}.${secret.toString('base64url')}`;

/** Null for a text that is not a link of ours. */
export function parseLink(text: string): Link | null {
  const [tenant = '', recipient = '', secret = '', ...more] = text.split('.');
  const [tenantId, recipientId] = [parseId(tenant), parseId(recipient)];
  return tenantId === null || recipientId === null || !SECRET.test(secret) || more.length > 0
    ? null
    : { tenantId, recipientId, secret: Buffer.from(secret, 'base64url') };
}

export const newSecret = (random: (bytes: number) => Buffer): Buffer => random(SECRET_BYTES);

/** The stored form of the secret of a link for confirmation. A fast hash is enough: nobody guesses 256 random bits. */
export const hashOf = (secret: Buffer): Buffer => hash('sha256', secret, 'buffer');

export const isSame = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

/** The secret of the link that unsubscribes: it never expires, and outlives a change of `ENCRYPTION_KEYS`. */
export const unsubscribeSecret = (
  vault: Pick<SecretVault, 'hmac'>,
  tenantId: number,
  recipientId: number,
): Promise<Buffer> => vault.hmac(tenantId, `notices/unsubscribe/${recipientId}`);
