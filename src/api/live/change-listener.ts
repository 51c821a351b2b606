import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CHANGES_CHANNEL } from '../../operations/live/changes.js';
import { LastingConnection } from '../../platform/database/lasting-connection.js';

const PROBE_EVERY_MS = 10_000;

/** @param heard called for every notification, and after each connect, when some may have been missed */
export function listenForChanges(url: string, log: Logger, heard: () => void): LastingConnection {
  return new LastingConnection({
    url,
    name: 'hookwright changes',
    log,
    brokeMessage: 'the connection that listens for changes broke; making another',
    async use(client, ended) {
      client.on('notification', heard);
      await client.query(`listen ${CHANGES_CHANNEL}`);
      heard();
      while (!ended.aborted) {
        await delay(PROBE_EVERY_MS, undefined, { signal: ended }).catch(() => {});
        await client.query('select 1'); // a connection that was cut off silently shows no error by itself
      }
    },
  });
}
