import type { Socket } from 'node:net';
import type pg from 'pg';

/** Ends a stuck connection, which does not end by itself. */
export function destroySocket(client: pg.Client, error?: Error): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy(error);
}
