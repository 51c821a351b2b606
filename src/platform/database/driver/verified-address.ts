import { isIP } from 'node:net';
import type pg from 'pg';

/**
 * Lets the certificate of a server that is called by its address be compared with that address. By itself the driver
 * names no host to Node for an address, and Node then expects a certificate for `localhost`. To be called before the
 * client connects.
 */
export function verifyAddress(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { ssl: boolean | object } };
  if (connection.ssl !== false && isIP(client.host) !== 0) {
    const options = connection.ssl === true ? {} : connection.ssl;
    connection.ssl = Object.assign(options, { host: client.host });
  }
}
