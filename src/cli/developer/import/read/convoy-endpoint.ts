import { z } from 'zod';
import type { WebhookLine } from '../lines/line.js';
import { duration, retriesOf, secondsOf } from './convoy-retries.js';
import { filterOfPieces, type Piece } from './convoy-subscriptions.js';
import type { Found } from './reading.js';

const text = z.string().nullish();
const pair = z.object({ username: z.string(), password: z.string() });

const oauth2 = z.object({
  ...{ url: text, client_id: text, client_secret: text, scope: text, audience: text },
  ...{ grant_type: text, authentication_type: text, expiry_time_unit: text },
  field_mapping: z.record(z.string(), z.unknown()).nullish(),
});

export const endpoint = z.object({
  uid: z.string(),
  owner_id: text,
  ...{ url: text, target_url: text, name: text, title: text, description: text },
  ...{ status: text, is_disabled: z.boolean().nullish(), advanced_signatures: z.boolean().nullish() },
  ...{ http_timeout: duration, rate_limit: z.number().nullish(), rate_limit_duration: duration },
  ...{
    slack_webhook_url: text,
    teams_webhook_url: text,
    content_type: text,
    mtls_client_cert: z.object({ client_cert: text, client_key: text }).nullish(),
  },
  secrets: z.array(z.object({ value: z.string(), expires_at: text, created_at: text })).nullish(),
  authentication: z
    .object({
      type: text,
      api_key: z.object({ header_name: z.string(), header_value: z.string() }).nullish(),
      basic_auth: pair.nullish(),
      oauth2: oauth2.nullish(),
    })
    .nullish(),
});
type Endpoint = z.infer<typeof endpoint>;

interface About {
  tenant: { externalId: string; name: string | null };
  compat: string;
  from: string;
}

const CHAT = 'failures were reported to a chat: make a webhook with the format SLACK or TEAMS for webhook.disabled';
/** Newer versions show this in place of a password or a private key. */
const REDACTED = '[REDACTED]';
const JSON_TYPE = 'application/json';

/** An endpoint of Convoy as one webhook. @param pieces what its subscriptions say */
export function readEndpoint(one: Endpoint, about: About, pieces: readonly Piece[]): Found {
  if (pieces.length === 0) {
    return { leftOut: { from: about.from, reason: 'has no subscription, so it gets nothing' } };
  }
  const { events, filter, notes: ofFilter } = filterOfPieces(pieces);
  const { auth, notes: ofAuth } = authOf(one);
  const { tls, notes: ofTls } = tlsOf(one);
  const { notes: ofSecrets, ...secrets } = secretsOf(one.secrets ?? []);
  const { retryDelaysSeconds, notes: ofRetries } = retriesOf(pieces.map(({ retry }) => retry));
  const isSending = !one.is_disabled && ['active', 'pending'].includes(one.status || 'active');
  const rate = (one.rate_limit ?? 0) / (secondsOf(one.rate_limit_duration) || 1);
  return {
    webhook: {
      ...{ v: 1, ...about, externalId: one.uid },
      url: one.url || one.target_url || '',
      ...{ events, ...secrets },
      active: isSending && ofFilter.length + ofAuth.length + ofTls.length === 0,
      name: one.name || one.title || null,
      description: one.description || null,
      auth,
      tls,
      filter: filter as Record<string, unknown> | null,
      ratePerSecond: rate > 0 ? Math.max(0.01, Math.round(rate * 100) / 100) : null,
      timeoutMs: Math.round(secondsOf(one.http_timeout) * 1_000) || null,
      retryDelaysSeconds,
      notes: [
        ...ofFilter,
        ...ofAuth,
        ...ofTls,
        ...ofSecrets,
        ...ofRetries,
        ...(one.slack_webhook_url || one.teams_webhook_url ? [CHAT] : []),
      ],
    },
  };
}

/** The newest that stays, and the newest of those that still count for a while. */
function secretsOf(all: NonNullable<Endpoint['secrets']>) {
  const endOf = ({ expires_at: at }: (typeof all)[number]) => (at ? Date.parse(at) : Number.POSITIVE_INFINITY);
  const live = all
    .filter((one) => endOf(one) > Date.now())
    .sort((one, other) => (other.created_at ?? '').localeCompare(one.created_at ?? ''));
  const staying = live.find(({ expires_at: at }) => !at) ?? live[0];
  const [previous, ...more] = live.filter((one) => one !== staying);
  return {
    secret: staying?.value ?? null,
    previousSecret: previous?.value ?? null,
    previousSecretExpiresAt: previous?.expires_at || null,
    notes: [
      ...(staying === undefined ? ['it has no live secret: it gets a new one'] : []),
      ...(more.length === 0 ? [] : [`${more.length} more of its secrets were live: two are brought along`]),
    ],
  };
}

/** How it is called, with notes about each thing without which its receiver would refuse the requests. */
function authOf({ authentication, content_type: form }: Endpoint): {
  auth: WebhookLine['auth'];
  notes: string[];
} {
  const { type, api_key: apiKey, basic_auth: basic, oauth2: client } = authentication ?? {};
  const notes = form && form !== JSON_TYPE ? [`paused: it got ${form}, and here it is JSON`] : [];
  if (basic?.password === REDACTED) {
    return { auth: null, notes: [...notes, `paused: Convoy hides the password of ${basic.username}: set it here`] };
  }
  if (apiKey?.header_value) {
    return { auth: { apiKey: { header: apiKey.header_name, value: apiKey.header_value } }, notes };
  }
  if (basic?.username) {
    return { auth: { basic }, notes };
  }
  const read = type === 'oauth2' && client ? clientOf(client) : null;
  if (read !== null && 'auth' in read) {
    return { auth: read.auth, notes };
  }
  const why = read === null ? `its authentication (${type}) is not brought along` : read.why;
  return { auth: null, notes: type ? [...notes, `paused: ${why}`] : notes };
}

/** Client credentials, which Convoy sends in the body; or why they cannot be as they are there. */
function clientOf(one: z.infer<typeof oauth2>): { auth: WebhookLine['auth'] } | { why: string } {
  const { url, client_id: clientId, client_secret: clientSecret, scope, audience } = one;
  const { grant_type: grant, authentication_type: proof, field_mapping: names, expiry_time_unit: unit } = one;
  const otherwise = [
    ...(grant && grant !== 'client_credentials' ? [`the grant ${grant}`] : []),
    ...(proof && proof !== 'shared_secret' ? [`the proof ${proof}`] : []),
    ...(unit && unit !== 'seconds' ? [`times in ${unit}`] : []),
    ...(Object.values(names ?? {}).some(Boolean) ? ['other names in the answers of its token server'] : []),
  ];
  if (otherwise.length > 0) {
    return { why: `its OAuth 2 has ${otherwise.join(', ')}: set \`delivery.auth\` in another way` };
  }
  if (!url || !clientId || !clientSecret || clientSecret === REDACTED) {
    return { why: 'Convoy hides parts of its OAuth 2, or lacks them: set `delivery.auth` here' };
  }
  const client = { tokenUrl: url, clientId, clientSecret, scope: scope || null, audience: audience || null };
  return { auth: { oauth2: { ...client, clientAuth: 'BODY' } } };
}

function tlsOf({ mtls_client_cert: pair }: Endpoint): { tls: WebhookLine['tls']; notes: string[] } {
  const { client_cert: clientCertificatePem, client_key: clientKeyPem } = pair ?? {};
  if (!clientCertificatePem) {
    return { tls: null, notes: [] };
  }
  return clientKeyPem && clientKeyPem !== REDACTED
    ? { tls: { clientCertificatePem, clientKeyPem }, notes: [] }
    : { tls: null, notes: ['paused: Convoy hides the key of its client certificate (mTLS): set both here'] };
}
