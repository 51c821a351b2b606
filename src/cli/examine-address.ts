import { readIssuer } from '../api/dashboard/oidc/provider.js';
import { type Check, check } from '../operations/doctor/check.js';
import type { Config } from '../platform/settings/config.js';
import { missingForMail } from '../platform/settings/mail-settings.js';

const TIMEOUT_MS = 5_000;
const BODY_BYTES_MAX = 10_000;

/**
 * Tries the settings that name something outside: OIDC_ISSUER, PUBLIC_URL, TRUSTED_PROXIES and SMTP_URL; of
 * EGRESS_ADDRESSES only whether it is missing. A setting that is not set is not looked at. What this machine cannot
 * reach, browsers may reach: that warns.
 */
export async function examineAddresses(config: Config): Promise<Check[]> {
  const { oidc, publicUrl, trustedProxies, delivery } = config;
  const [issuer, own, mail] = await Promise.all([
    oidc === null ? [] : examineIssuer(oidc),
    publicUrl === undefined ? [] : examinePublicUrl(publicUrl, trustedProxies.length > 0),
    examineMail(config),
  ]);
  return [...issuer, ...own, ...mail, ...judgeEgress(delivery)];
}

function judgeEgress({ egressProxy, egressAddresses }: Config['delivery']): Check[] {
  const name = 'EGRESS_ADDRESSES';
  if (egressAddresses.length > 0) {
    return [check(name, 'ok', `Owners of endpoints see these addresses: ${egressAddresses.join(', ')}.`)];
  }
  const trouble = 'Deliveries leave through EGRESS_PROXY, and owners of endpoints do not learn its addresses';
  return egressProxy === undefined ? [] : [check(name, 'warn', `${trouble}. Name them in EGRESS_ADDRESSES.`)];
}

/** Does everything that a mail needs, and sends none. */
async function examineMail({ mail, smtpUrl, mailFrom, publicUrl }: Config): Promise<Check[]> {
  if (mail !== null) {
    const at = `${mail.host}:${mail.port}`;
    const { Mailer } = await import('../platform/mail/mailer.js');
    const trouble = await new Mailer(mail).examine();
    return [
      trouble === null
        ? check('SMTP_URL', 'ok', `The mail server ${at} can be used: it takes mails from ${mail.from.address}.`)
        : check('SMTP_URL', trouble.status, `${at}: ${trouble.text}`),
    ];
  }
  const missing = missingForMail({ smtpUrl, mailFrom, publicUrl }).join(' and ');
  return smtpUrl === undefined && mailFrom === undefined
    ? []
    : [check('SMTP_URL', 'warn', `No notices are sent by e-mail: ${missing} must be set too.`)];
}

async function examineIssuer(oidc: NonNullable<Config['oidc']>): Promise<Check[]> {
  try {
    const { authorization_endpoint: page } = await readIssuer(oidc);
    return [
      page === undefined
        ? check('OIDC_ISSUER', 'fail', `${oidc.issuer} names no page for signing in (authorization_endpoint).`)
        : check('OIDC_ISSUER', 'ok', `The provider answers, and people sign in at ${page}.`),
    ];
  } catch (error) {
    const remedy = 'Set OIDC_ISSUER to the address that the provider itself writes as "issuer".';
    return [check('OIDC_ISSUER', 'fail', `${(error as Error).message}. ${remedy}`)];
  }
}

async function examinePublicUrl(publicUrl: string, hasProxies: boolean): Promise<Check[]> {
  const asked = await askProxy(publicUrl);
  if (typeof asked === 'string') {
    const remedy = 'Set it to the address in the browser, and let the proxy pass all paths.';
    return [check('PUBLIC_URL', 'warn', `${publicUrl} ${asked}. ${remedy}`)];
  }
  return [
    check('PUBLIC_URL', 'ok', `This service, or one of its version, answers at ${publicUrl}.`),
    judgeProxies(asked.client, hasProxies),
  ];
}

function judgeProxies(client: string, hasProxies: boolean): Check {
  const name = 'TRUSTED_PROXIES';
  if (client === 'ignored') {
    const trouble = 'Requests through PUBLIC_URL come from a proxy that TRUSTED_PROXIES does not name';
    return check(name, 'warn', `${trouble}: all clients share its limits. Add the proxy's address.`);
  }
  if (client === 'direct' && hasProxies) {
    const trouble = 'Requests through PUBLIC_URL have no X-Forwarded-For';
    return check(name, 'warn', `${trouble}: all clients share the limits of the proxy. Let the proxy send it.`);
  }
  return check(name, 'ok', 'The service sees the address of each client that comes through PUBLIC_URL.');
}

/** @returns how the service sees clients at this origin; or the rest of a sentence about another answer */
async function askProxy(origin: string): Promise<{ client: string } | string> {
  try {
    const response = await fetch(`${origin}/health/proxy`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const location = response.headers.get('location');
    if (location !== null) {
      return `redirects to ${location}`;
    }
    const isShort = Number(response.headers.get('content-length') ?? 0) <= BODY_BYTES_MAX;
    const client = isShort ? clientIn(await response.text()) : undefined;
    return client === undefined ? `has another answer than Hookwright's (status ${response.status})` : { client };
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    return `cannot be reached from this machine (${cause?.code ?? message})`;
  }
}

function clientIn(text: string): string | undefined {
  try {
    const { client } = JSON.parse(text) as { client?: unknown };
    return typeof client === 'string' ? client : undefined;
  } catch {
    return undefined;
  }
}
