import { isIP } from 'node:net';
import { URL_LENGTH_MAX } from '../fields/webhook-fields.js';
import { groupsOf } from './ipv6.js';
import { isIn, Ranges } from './ranges.js';
import { loopbackRanges, publicIpv6, refusedIpv4, refusedIpv6 } from './special-ranges.js';
import {
  hostOf,
  isLocalhost,
  isPortAllowed,
  isPublicName,
  partFault,
  portOf,
  readUrl,
  refusedPort,
  tooLong,
} from './url-form.js';

/**
 * Strangers choose the urls: these rules stand between them and the network that we run in. A url is judged without DNS
 * when it is stored; every address that is connected to is judged again, since a name can answer differently later.
 */

export interface TargetPolicy {
  allowHttp: boolean;
  /** CIDRs that are open although they are not public (`ALLOW_PRIVATE_TARGETS`). */
  allowedRanges: readonly string[];
  /** Loopback addresses may be called, by http too (`ALLOW_LOOPBACK_TARGETS`). */
  loopbackHttp: boolean;
}

type Fault = { code: string; reason: string };
/** `url` is in its normal form: the only one to be stored. */
type UrlVerdict = { allowed: true; url: string } | ({ allowed: false } & Fault);

/** The tenant that is refused may be the operator, who tries the service with a receiver beside it. */
const LOOPBACK_HINT = 'on a machine of your own, the setting ALLOW_LOOPBACK_TARGETS=true allows loopback addresses';
const PRIVATE_HINT = 'the operator can open ranges of addresses by the setting ALLOW_PRIVATE_TARGETS';
const NAME_HINT =
  'no setting allows such a name; an address in its place is allowed where ALLOW_PRIVATE_TARGETS opens its range';
const HTTP_HINT = 'the operator can allow http:// by the setting ALLOW_HTTP_URLS=true';

/** @returns the url in its normal form, or why it may not be called: a code and a sentence for its owner */
export function judgeUrl(text: string, policy: TargetPolicy): UrlVerdict {
  const url = readUrl(text);
  if (!(url instanceof URL)) {
    return { allowed: false, ...url };
  }
  const host = hostOf(url);
  const isLoopback = policy.loopbackHttp && isLoopbackHost(host);
  const fault =
    schemeFault(url, host, policy) ??
    partFault(url, text) ??
    hostFault(host, policy) ??
    portFault(url, isLoopback || isOpened(host, policy)) ??
    (url.href.length > URL_LENGTH_MAX ? tooLong : null);
  return fault === null ? { allowed: true, url: url.href } : { allowed: false, ...fault };
}

/** Whether a connection to this IP address may be made. False for anything that is not an IP address. */
export function judgeAddress(address: string, policy: TargetPolicy): boolean {
  return isPublic(address) || isIn(address, rangesOf(policy));
}

function schemeFault({ protocol }: URL, host: string, { allowHttp, loopbackHttp }: TargetPolicy): Fault | null {
  const isLoopback = isLoopbackHost(host);
  if (protocol === 'https:' || (protocol === 'http:' && (allowHttp || (loopbackHttp && isLoopback)))) {
    return null;
  }
  const hint = isLoopback ? `${LOOPBACK_HINT}, over http:// too` : HTTP_HINT;
  const exceptions = [
    ...(loopbackHttp ? ['http:// is for loopback addresses such as http://localhost'] : []),
    ...(protocol === 'http:' ? [hint] : []),
  ];
  const exception = exceptions.length === 0 ? '' : ` (${exceptions.join('; ')})`;
  return {
    code: 'url_scheme',
    reason: `must begin with ${allowHttp ? 'https:// or http://' : 'https://'}${exception}`,
  };
}

function hostFault(host: string, policy: TargetPolicy): Fault | null {
  const isAllowed = isIP(host) === 0 ? isPublicName(host) || isOpened(host, policy) : judgeAddress(host, policy);
  // The sentence never repeats an address: a tenant reads no internal one, not even its own input.
  const what = isIP(host) === 0 ? `${shown(host)} is not one` : 'this address is private or has a special purpose';
  const hint = isLoopbackHost(host) ? LOOPBACK_HINT : isIP(host) === 0 ? NAME_HINT : PRIVATE_HINT;
  return isAllowed
    ? null
    : {
        code: 'url_host',
        reason: `must name a host on the public internet, such as hooks.example.com; ${what} (${hint})`,
      };
}

const HOST_SHOWN_CHARS_MAX = 100;
const shown = (host: string) => (host.length > HOST_SHOWN_CHARS_MAX ? `${host.slice(0, HOST_SHOWN_CHARS_MAX)}…` : host);

function portFault(url: URL, isOpen: boolean): Fault | null {
  const port = portOf(url);
  return isPortAllowed(port) || (isOpen && port > 0) ? null : refusedPort;
}

export const isLoopbackUrl = (url: URL) => isLoopbackHost(hostOf(url));
const isLoopbackHost = (host: string) => isLocalhost(host) || isLoopbackAddress(host);
export const isLoopbackAddress = (address: string) => isIn(address, loopbackRanges);

/** Whether webhooks may point at services of this machine. */
export function opensLoopback({ allowedRanges, loopbackHttp }: TargetPolicy): boolean {
  const overlaps = (cidr: string) =>
    isLoopbackAddress(cidr.split('/')[0] ?? '') || ['127.0.0.0', '::1'].some((one) => isIn(one, [cidr]));
  return loopbackHttp || allowedRanges.some(overlaps);
}

/** The loopback addresses that the policy opens. `localhost` means these, without a lookup. */
export function loopbackAddresses(policy: TargetPolicy): string[] {
  return ['127.0.0.1', '::1'].filter((address) => judgeAddress(address, policy));
}

/** Whether a host that is not public has been opened by the policy. `localhost` is as open as loopback is. */
function isOpened(host: string, policy: TargetPolicy): boolean {
  return isLocalhost(host) ? loopbackAddresses(policy).length > 0 : isIn(host, rangesOf(policy));
}

function rangesOf({ allowedRanges, loopbackHttp }: TargetPolicy): readonly string[] {
  return loopbackHttp ? [...allowedRanges, ...loopbackRanges] : allowedRanges;
}

const refused = new Ranges([...refusedIpv4, ...refusedIpv6]);
const publicV6 = new Ranges([publicIpv6]);

function isPublic(address: string): boolean {
  // A zone (fe80::1%eth0) names an interface of this machine.
  if (address.includes('%')) {
    return false;
  }
  if (isIP(address) === 4) {
    return !refused.has(address);
  }
  return isIP(address) === 6 && publicV6.has(address) && !refused.has(address) && !isIsatap(address);
}

/** Whether an IPv4 address stands behind 0:5efe or 200:5efe (ISATAP, RFC 5214 §6.1), in whatever network. */
function isIsatap(address: string): boolean {
  const groups = groupsOf(address);
  return groups[5] === 0x5efe && (groups[4] === 0 || groups[4] === 0x200);
}
