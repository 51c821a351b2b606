import { networkInterfaces } from 'node:os';

const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);

/** An address of this machine alone besides 127.0.0.1: that of IPv6, or where there is none another one of Linux. */
export const secondLoopback = all.some(({ address }) => address === '::1') ? '::1' : '127.0.0.2';
