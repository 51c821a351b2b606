import type { HostileReceiver, Misbehaviour, ReceiverOptions } from '../hostile-receivers.js';

/** A receiver that a tenant may have, whether out of malice or by mistake. */
export interface HostileKind {
  /** Completes "a receiver that …". */
  what: string;
  misbehave: Misbehaviour;
  options?: ReceiverOptions;
  /** Starts a receiver that misbehaviour alone does not make. */
  start?: () => Promise<HostileReceiver>;
  reads: Reading;
  /** It keeps us until the time is over. */
  lasts?: true;
  /** It says that it wants no more for now, or for ever: there is no second delivery. */
  wantsNoMore?: true;
}

/** The tenant's view of an attempt. */
export interface Reading {
  statusCode: number | null;
  errorCode: string | null;
  responseTruncated?: boolean;
  /** The body's bytes as latin1. */
  body?: string;
  /** Some of the headers. */
  headers?: Record<string, string | string[]>;
}

/** No answer, for this reason. */
export const fails = (errorCode: string): Reading => ({ statusCode: null, errorCode });

/** An answer, which is a success when its status is 2xx. */
export const answers = (statusCode: number, more: Partial<Reading> = {}): Reading => ({
  statusCode,
  errorCode: statusCode >= 200 && statusCode <= 299 ? null : `HTTP_${statusCode}`,
  ...more,
});

/** An answer whose head is good, and whose body is not: what came of it, or anything. */
export const breaksOff = (statusCode: number, body?: string): Reading =>
  answers(statusCode, { responseTruncated: true, ...(body === undefined ? {} : { body }) });

/** An answer that came as a whole. */
export const whole = (statusCode: number, body: string): Reading =>
  answers(statusCode, { body, responseTruncated: false });

/** Receivers that are all read alike, by what they do. */
export const kinds = (
  reads: Reading,
  misbehaviours: Readonly<Record<string, Misbehaviour>>,
  more: Partial<HostileKind> = {},
): HostileKind[] => Object.entries(misbehaviours).map(([what, misbehave]) => ({ what, misbehave, reads, ...more }));

export const KIB = 1024;
export const OK = 'HTTP/1.1 200 OK\r\n';
export const CHUNKED = 'transfer-encoding: chunked\r\n\r\n';
