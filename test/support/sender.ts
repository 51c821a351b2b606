import type { NameResolver } from '../../daemon/sending/name-resolver.js';
import { createSender, type Sender, type SenderOptions } from '../../daemon/sending/send.js';

/** A sender with usual limits, which may call 127.0.0.1. */
export const openSender = (options: Partial<SenderOptions> = {}): Sender =>
  createSender({
    policy: { allowHttp: true, allowedRanges: ['127.0.0.1/32'], loopbackHttp: false },
    connectTimeoutMs: 5_000,
    totalTimeoutMs: 10_000,
    responseBytesMax: 65_536,
    storedBytesMax: 16_384,
    connectionsPerOriginMax: 8,
    ...options,
  });

/** A resolver by which every name has these addresses. */
export const leadsTo =
  (...addresses: string[]): NameResolver =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** A resolver that never answers. */
export const neverAnswers: NameResolver = () => new Promise(() => {});
