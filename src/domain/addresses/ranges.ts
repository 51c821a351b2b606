import { BlockList, isIP } from 'node:net';

/** `BlockList.check` answers false for anything but an address of the asked family, so the family is asked first. */
export class Ranges {
  readonly #v4 = new BlockList();
  readonly #v6 = new BlockList();

  constructor(cidrs: readonly string[]) {
    for (const cidr of cidrs) {
      const [address = '', prefix] = cidr.split('/');
      // Lists of their own: a rule for mapped addresses in a shared list would match every IPv4 address.
      if (isIP(address) === 4) {
        this.#v4.addSubnet(address, Number(prefix ?? 32), 'ipv4');
      } else {
        this.#v6.addSubnet(address, Number(prefix ?? 128), 'ipv6');
      }
    }
  }

  has(address: string): boolean {
    switch (isIP(address)) {
      case 4:
        return this.#v4.check(address, 'ipv4');
      case 6:
        return this.#v6.check(address, 'ipv6');
      default:
        return false;
    }
  }
}

const rangesByList = new Map<string, Ranges>();

/** Whether an address is in one of these ranges. False for anything but an IP address. */
export function isIn(address: string, cidrs: readonly string[]): boolean {
  if (cidrs.length === 0) {
    return false;
  }
  const name = cidrs.join(',');
  let ranges = rangesByList.get(name);
  if (ranges === undefined) {
    ranges = new Ranges(cidrs);
    rangesByList.set(name, ranges);
  }
  return ranges.has(address);
}
