import { isIP } from 'node:net';
import { groupsOf } from './ipv6.js';

/** All texts that are not addresses share one network, so that nonsense in a proxy's header makes no buckets. */
const NOWHERE = 'nowhere';

/**
 * The network that a limit by address counts as one client: an IPv4 address, also written as IPv6 (RFC 4291 §2.5.5.2),
 * or a /64 of IPv6, the least that a customer is given (RFC 6177 §2).
 */
export function networkOf(address: string): string {
  const family = isIP(address);
  if (family !== 6) {
    return family === 4 ? address : NOWHERE;
  }
  const groups = groupsOf(address);
  if (groups.slice(0, 6).join() === '0,0,0,0,0,65535') {
    const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
    return bytes.join('.');
  }
  const hex = groups.slice(0, 4).map((group) => group.toString(16));
  return `${hex.join(':')}::/64`;
}
