import { type Logger, pino } from 'pino';

interface LogLine {
  level: number;
  msg: string;
  // biome-ignore lint/suspicious/noExplicitAny: each message has fields of its own
  [field: string]: any;
}

/** A log of this level, and its lines. */
export function keptLog(level: string): { log: Logger; lines: LogLine[] } {
  const lines: LogLine[] = [];
  return { lines, log: pino({ level }, { write: (line: string) => lines.push(JSON.parse(line)) }) };
}
