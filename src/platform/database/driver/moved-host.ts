import dns, { type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type pg from 'pg';
import { socketOf } from './destroy-socket.js';
import type { Host } from './server-role.js';

/** Whether a host is a name, and neither an address nor the path of a socket. */
export const isName = (host: string): boolean => isIP(host) === 0 && !host.startsWith('/');

/** Whether one of these connections leads to an address that the name of its host has no longer. */
export async function hasMoved(connected: [client: pg.Client, host: Host][]): Promise<boolean> {
  const reached = Map.groupBy(connected, ([, { host }]) => host);
  const moved = [...reached].map(async ([host, connections]) => {
    const found = isName(host) ? await addressesOf(host) : [];
    const leadsElsewhere = (address = '') => !found.some((one) => one.address === address);
    return found.length > 0 && connections.some(([client]) => leadsElsewhere(socketOf(client).remoteAddress));
  });
  return (await Promise.all(moved)).includes(true);
}

/** Resolves a name as the driver does. @returns none when it does not resolve */
const addressesOf = (name: string): Promise<LookupAddress[]> =>
  new Promise((resolve) => {
    dns.lookup(name, { all: true }, (error, addresses) => resolve(error === null ? addresses : []));
  });
