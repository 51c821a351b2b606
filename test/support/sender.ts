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
