import { readFilter } from '../../../../domain/content/read-filter.js';
import { type ShownAuth, shownAuth, storedAuth } from '../../../../domain/fields/auth.js';
import { isSameHeader } from '../../../../domain/fields/headers.js';
import { CLIENT_PARTS } from '../../../../domain/fields/oauth2.js';
import { readTls } from '../../../../domain/fields/read-tls.js';
import type { TlsInput } from '../../../../domain/fields/tls.js';
import { canonicalJson } from '../../../../domain/text/canonical-json.js';
import { formatTimestamp } from '../../../../domain/text/timestamp.js';
import type { WebhookLine } from '../lines/line.js';
import { fieldsOf } from '../lines/webhook-input.js';

/** A webhook as it is there. */
export interface KnownWebhook {
  id: string;
  externalId: string | null;
  version: number;
  url: string;
  eventTypes: readonly string[];
  name: string | null;
  description: string | null;
  metadata: Readonly<Record<string, string>>;
  delivery: {
    own: readonly string[];
    ratePerSecond: number | null;
    timeoutMs: number;
    compat: string | null;
    headers: readonly { name: string; value: string | null; secret: boolean }[];
    auth: ShownAuth | null;
    tls: {
      ca: { subjects: readonly string[]; endsAt: string } | null;
      clientCertificate: { subject: string; fingerprint: string } | null;
    } | null;
  };
  content: { filter: unknown; release: string | null };
  /** The proof that its endpoint wants deliveries; null: none was asked for. */
  verification: { status: string } | null;
}

/** The fields that the comparison reads. */
export const KNOWN_FIELDS = `id externalId version url eventTypes name description metadata
  delivery { own ratePerSecond timeoutMs compat headers { name value secret } auth { kind username header ${CLIENT_PARTS.join(' ')} }
    tls { ca { subjects endsAt } clientCertificate { subject fingerprint } } }
  content { filter release } verification { status }`;

/** A field that differs. Values of secrets are neither compared nor shown: nobody can read those that are there. */
interface Difference {
  field: string;
  /** The difference in words. */
  sentence: string;
  /** The input of `updateWebhook` that ends it. */
  change: Readonly<Record<string, unknown>>;
}

/**
 * Compares a line with the webhook of its external id, as far as the line says something. Signing secrets and whether
 * it is active are the service's own from the moment that the webhook is made: they do not differ.
 */
export function differencesOf(line: WebhookLine, there: KnownWebhook): Difference[] {
  const { delivery = {}, content = {}, ...fields } = fieldsOf(line) as Record<string, Record<string, unknown>>;
  return [
    ...Object.entries(fields).flatMap(([field, value]) => {
      const before = there[field as 'url'];
      return isSame(field, value, before) ? [] : [difference(field, before, value, { [field]: value })];
    }),
    ...ofDelivery(delivery, there.delivery),
    ...('filter' in content && !isSameFilter(content['filter'], there.content.filter)
      ? [difference('filter', there.content.filter, content['filter'], { content })]
      : []),
    ...('release' in content && content['release'] !== there.content.release
      ? [difference('release', there.content.release, content['release'], { content })]
      : []),
  ];
}

/** One change of all differences. Secrets stay with an origin, so a new url brings those of the line again. */
export function changeOf(line: WebhookLine, differences: readonly Difference[]): object {
  const changes = differences.map(({ change }) => change);
  const whole: Record<string, unknown> = Object.assign({}, ...changes);
  const { setHeaders, auth, tls } = (fieldsOf(line) as Record<string, Record<string, unknown>>)['delivery'] ?? {};
  const secrets = Object.fromEntries(
    Object.entries({ setHeaders, auth, tls }).filter(([, value]) => value !== undefined),
  );
  const delivery = Object.assign({}, ...changes.map((change) => change['delivery']), 'url' in whole ? secrets : {});
  return Object.keys(delivery).length > 0 ? { ...whole, delivery } : whole;
}

function ofDelivery(wanted: Readonly<Record<string, unknown>>, there: KnownWebhook['delivery']): Difference[] {
  return Object.entries(wanted).flatMap(([field, value]) => {
    const change = { delivery: { [field]: value } };
    if (field === 'setHeaders') {
      return ofHeaders(value as { name: string; value: string; secret: boolean }[], there);
    }
    if (field === 'auth') {
      const [before, after] = [authWords(there.auth), authWords(authOf(value as AuthOfLine))];
      return before === after ? [] : [{ field, sentence: `auth: ${shown(before)} → ${shown(after)}`, change }];
    }
    if (field === 'tls') {
      const [before, after] = [tlsWords(there.tls), tlsWords(shownTls(value as TlsInput, there.tls))];
      return before === after ? [] : [{ field, sentence: `tls: ${before} → ${after}`, change }];
    }
    const isInherited = field === 'timeoutMs' && !there.own.includes('TIMEOUT_MS');
    const before = isInherited ? null : there[field as 'compat'];
    return value === before ? [] : [difference(field, before, value, change)];
  });
}

function ofHeaders(
  wanted: readonly { name: string; value: string; secret: boolean }[],
  there: KnownWebhook['delivery'],
) {
  const other = wanted.filter(({ name, value, secret }) => {
    const before = there.headers.find((header) => isSameHeader(header.name, name));
    return before === undefined || before.secret !== secret || (!secret && before.value !== value);
  });
  const names = other.map(({ name, value, secret }) => (secret ? `${name} (secret)` : `${name}: ${value}`)).join(', ');
  const change = { delivery: { setHeaders: other } };
  return other.length === 0 ? [] : [{ field: 'headers', sentence: `headers: ${names}`, change }];
}

type AuthOfLine = NonNullable<WebhookLine['auth']>;

/** The auth of a line, shown as the service would show it. */
function authOf(auth: AuthOfLine): ShownAuth | null {
  const shown = shownAuth(storedAuth(auth));
  const url = shown?.tokenUrl;
  return shown && url != null && URL.canParse(url) ? { ...shown, tokenUrl: new URL(url).href } : shown;
}

const authWords = (auth: ShownAuth | null): string =>
  auth === null
    ? 'none'
    : [auth.kind, auth.username, auth.header, ...CLIENT_PARTS.map((name) => auth[name])]
        .filter((word) => word !== null)
        .join(' ');

/** The facts that readers get after the change; null: the service refuses the input. */
function shownTls(input: TlsInput, there: KnownWebhook['delivery']['tls']): KnownWebhook['delivery']['tls'] {
  const read = readTls(input, new Date(0));
  if ('problems' in read) {
    return null;
  }
  const { ca, client } = read.tls;
  return {
    ca: ca ? { ...ca, endsAt: formatTimestamp(new Date(ca.endsAt)) } : (there?.ca ?? null),
    clientCertificate: client && 'pem' in client ? client : (there?.clientCertificate ?? null),
  };
}

function tlsWords(tls: KnownWebhook['delivery']['tls']): string {
  const { ca = null, clientCertificate = null } = tls ?? {};
  const words = [
    ...(ca === null ? [] : [`authorities ${ca.subjects.join(' and ')} until ${ca.endsAt}`]),
    ...(clientCertificate === null
      ? []
      : [`the certificate of ${clientCertificate.subject}, ${clientCertificate.fingerprint}`]),
  ];
  return words.length === 0 ? 'none' : words.join(', ');
}

function isSame(field: string, wanted: unknown, there: unknown): boolean {
  switch (field) {
    case 'url':
      return URL.canParse(wanted as string) && new URL(wanted as string).href === there;
    case 'eventTypes':
      return canonicalJson([...(wanted as string[])].sort()) === canonicalJson([...(there as string[])].sort());
    default:
      return canonicalJson(wanted) === canonicalJson(there);
  }
}

/** The service keeps a filter without members that are null. */
function isSameFilter(wanted: unknown, there: unknown): boolean {
  const read = readFilter(wanted);
  return canonicalJson('filter' in read ? read.filter : wanted) === canonicalJson(there);
}

const difference = (field: string, before: unknown, after: unknown, change: Difference['change']): Difference => ({
  field,
  sentence: `${field}: ${shown(before)} → ${shown(after)}`,
  change,
});

const SHOWN_CHARS_MAX = 200;

function shown(value: unknown): string {
  const text = value == null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text;
}
