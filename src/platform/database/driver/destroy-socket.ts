import type { Socket } from 'node:net';
import type pg from 'pg';

export const socketOf = (client: pg.Client): Socket =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;

/** Ends a stuck connection, which does not end by itself. */
export function destroySocket(client: pg.Client, error?: Error): void {
  socketOf(client).destroy(error);
}
