import type { SendErrorCode } from '../../src/domain/deliveries/outcome.js';

/**
 * Our code for a failure of undici, Node or the system. The pattern is matched against the error's code and message
 * ("UND_ERR_SOCKET other side closed"); the first match counts.
 */
const ERRORS: readonly (readonly [pattern: RegExp, code: SendErrorCode])[] = [
  [/^NAME_UNRESOLVED /, 'DNS_FAILED'],
  [/^TARGET_REFUSED /, 'TARGET_REFUSED'],
  // For any reason that the proxy has: it may be an address.
  [/^TUNNEL_REFUSED /, 'CONNECT_FAILED'],
  [/^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT) /, 'CONNECT_TIMEOUT'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM) /, 'CONNECT_FAILED'],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH) /, 'TLS_CERTIFICATE_NAME'],
  [/^CERT_(HAS_EXPIRED|NOT_YET_VALID) /, 'TLS_CERTIFICATE_EXPIRED'],
  // OpenSSL's other verdicts on certificates (`x509` error codes, without a common prefix). Node has no name for some,
  // such as a short key or a signature by SHA-1.
  [
    /^(CERT|CRL|UNABLE_TO|DEPTH_ZERO|SELF_SIGNED|INVALID_(CA|PURPOSE)|PATH_LENGTH|ERROR_IN|UNSPECIFIED )/,
    'TLS_CERTIFICATE_UNTRUSTED',
  ],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO )/, 'TLS_FAILED'],
  [/^(UND_ERR_HEADERS_OVERFLOW|ANSWER_TOO_LONG) /, 'HEADERS_TOO_LARGE'],
  [/^CONTENT_LENGTH_TWICE /, 'CONTENT_LENGTH_TWICE'],
  [/^UND_ERR_SOCKET bad (response|upgrade)/, 'PROTOCOL_ERROR'],
  [/^(UND_ERR_SOCKET|ECONNRESET|ECONNABORTED|EPIPE) /, 'CONNECTION_RESET'],
  [/^(HPE_|UND_ERR_RES_)/, 'PROTOCOL_ERROR'],
];

/** A failure of one receiver that undici and Node do not know. It has no text, which may name addresses. */
export class SendFault extends Error {
  constructor(
    readonly code: /** The host as the url has it, its scheme or its port may not be called. */
      | 'TARGET_REFUSED'
      /**
       * A name without an answer, or with an address that may not be called. One code for both, or the difference would
       * show a stranger which names and addresses exist in our network.
       */
      | 'NAME_UNRESOLVED'
      /** The egress proxy would not, or could not, connect to this one target. */
      | 'TUNNEL_REFUSED'
      /** The proxy made no tunnel in time; most likely the target keeps it waiting. */
      | 'ETIMEDOUT'
      /** The receiver has sent more than an answer can need, most of it neither header nor body. */
      | 'ANSWER_TOO_LONG'
      /** The header Content-Length came twice, which llhttp cannot read, even where both say the same. */
      | 'CONTENT_LENGTH_TWICE',
  ) {
    super();
  }
}

const NO_ROOM = 'this machine has no room for another connection; deliveries wait';

/** Errors of using undici that no receiver can cause. */
const MISUSE = /^UND_ERR_(INVALID_ARG|CLOSED|DESTROYED|REQ_CONTENT_LENGTH_MISMATCH)$/;

/** By an error's code, a sentence for the operator: why nothing can be sent to any receiver. */
const NO_WAY_OUT: Readonly<Record<string, string>> = {
  EGRESS_PROXY_AWAY: 'nothing can be sent through EGRESS_PROXY; deliveries wait',
  NAMES_GONE: 'no name resolves any more, so nothing can be sent; deliveries wait',
  EMFILE: NO_ROOM,
  ENFILE: NO_ROOM,
  ENOBUFS: NO_ROOM,
  ENOMEM: NO_ROOM,
};

/** @returns a sentence for the operator; null when other receivers may be reached */
export const noWayOutOf = (error: { code?: unknown }): string | null => NO_WAY_OUT[String(error.code)] ?? null;

/** @param sent whether the request was on its way already: the receiver may have it then, so the attempt was made */
export const isOurFault = (error: { code?: unknown }, sent: boolean): boolean =>
  MISUSE.test(String(error.code)) || (!sent && noWayOutOf(error) !== null);

/** Errors of a connection that was not made: if no other machine said a word, the way there may be the fault. */
export const NOBODY_REACHED =
  /^(UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/;

/**
 * Whether the duration of this failure would show a stranger which names and addresses exist in our network: of
 * resolving a name, and of a proxy that resolves it.
 */
export const isTelling = (error: { code?: unknown }): boolean =>
  error.code === 'NAME_UNRESOLVED' || error.code === 'TUNNEL_REFUSED';

/** The code of a failure before the response, without any text of the error, which may name addresses. */
export function codeOf(error: Error & { code?: unknown }, connected: boolean): SendErrorCode {
  const text = `${String(error.code)} ${error.message}`;
  const known = ERRORS.find(([pattern]) => pattern.test(text));
  return known?.[1] ?? (connected ? 'PROTOCOL_ERROR' : 'CONNECT_FAILED');
}
