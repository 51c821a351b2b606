import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { TOO_MANY_CONNECTIONS_ADVICE } from '../platform/database/connection-trouble.js';
import { SQL_STATE } from '../platform/database/driver/sql-state.js';
import type { Config } from '../platform/settings/config.js';
import { LogPipe } from './log-pipe.js';

/** Leaves out all else: the error of a database driver carries its whole connection, settings and all. */
function serializeError(error: Error & { code?: unknown }): Record<string, unknown> {
  const { name, message, code, stack, cause } = error;
  const advice = code === SQL_STATE.TOO_MANY_CONNECTIONS && { advice: TOO_MANY_CONNECTIONS_ADVICE };
  return { name, message, code, ...advice, stack, ...(cause instanceof Error ? { cause: serializeError(cause) } : {}) };
}

/** The names of Google Cloud, which Datadog and others understand as well. */
const SEVERITIES: Readonly<Record<string, string>> = {
  trace: 'DEBUG',
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
  fatal: 'CRITICAL',
};

/** The fields `severity` and `message` in place of `level` and `msg`. */
const namedLevels = {
  messageKey: 'message',
  formatters: { level: (name: string) => ({ severity: SEVERITIES[name] }) },
};

/** JSON for machines; lines that a person can read when a person is watching. */
export function openLog({ logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>): Logger {
  const options = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: serializeError },
  };
  if (process.stdout.isTTY) {
    return pino(options, pretty({ singleLine: true, sync: true }));
  }
  const pipe = new LogPipe((lines) =>
    log.warn({ lines }, 'lines are missing here: nobody took them from the log in time'),
  );
  const log: Logger = pino(logFormat === 'severity' ? { ...options, ...namedLevels } : options, pipe);
  return log;
}
