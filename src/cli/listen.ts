import { once } from 'node:events';
import { createServer, isIPv6 } from 'node:net';

interface Address {
  host: string;
  port: number;
}

const PORT_MAX = 65_535;

/** All addresses of the machine: Node takes connections of IPv4 there too, also where Linux has `bindv6only`. */
const ALL = '::';
const ALL_OF_IPV4 = '0.0.0.0';

/** Errors for an IPv6 address on a machine without IPv6. */
const WITHOUT_IPV6 = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL']);

/** Errors for a host that is not one of this machine. */
const NOT_OURS = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);

/**
 * Listens on an address. `::` means all addresses of the machine, so without IPv6 it is all of IPv4.
 *
 * @param setting the one of the port: PORT or METRICS_PORT. The host's setting has the same prefix (METRICS_PORT,
 *   METRICS_HOST).
 * @throws Error with a sentence that names the setting, when host and port cannot be had
 */
export async function listen<Result>(
  setting: string,
  address: Address,
  start: (address: Address) => Promise<Result>,
): Promise<Result> {
  const { host, port } = address;
  try {
    return await start(address);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (host === ALL && code !== undefined && WITHOUT_IPV6.has(code)) {
      return listen(setting, { host: ALL_OF_IPV4, port }, start);
    }
    if (code === 'EADDRINUSE') {
      throw new Error(
        `Port ${port} on ${host} is taken. Free it, or choose another: ${setting}=${port < PORT_MAX ? port + 1 : port - 1}.`,
      );
    }
    if (code === 'EACCES') {
      throw new Error(`Port ${port} is not for ordinary users. Choose one above 1023: ${setting}=${port + 8000}.`);
    }
    if (code !== undefined && NOT_OURS.has(code)) {
      const reason =
        code === 'EAFNOSUPPORT' && isIPv6(host)
          ? 'an IPv6 address, and this machine has no IPv6'
          : 'which is not an address of this machine';
      throw new Error(
        `${setting.replace('PORT', 'HOST')} is "${host}", ${reason} (${code}). ` +
          `Allowed: one of its own, 127.0.0.1 for this machine alone, or :: for all.`,
      );
    }
    throw error;
  }
}

/**
 * Fails early, before a start makes a database, where another program has the port.
 *
 * @throws Error as `listen`
 */
export async function requireFreePort(setting: string, wanted: Address): Promise<void> {
  await listen(setting, wanted, async (address) => {
    // A client that polls the port meets this server too, and would keep it from closing.
    const server = createServer((socket) => socket.destroy()).listen(address);
    await once(server, 'listening');
    await once(server.close(), 'close');
  });
}
