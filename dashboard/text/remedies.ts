import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { SendErrorCode } from '../../src/domain/deliveries/outcome';

/** The meaning of each error code for the owner of the endpoint, and what the owner can do. */
export interface Remedy {
  /** Follows "because": `its certificate has expired`. */
  why: MessageDescriptor;
  what: MessageDescriptor;
}

const REMEDIES: Readonly<Record<SendErrorCode, Remedy> & Record<`HTTP_${number}`, Remedy>> = {
  DNS_FAILED: {
    why: msg`its host name cannot be resolved`,
    what: msg`Check the spelling of the host. Its DNS record must be public and have an address.`,
  },
  TARGET_REFUSED: {
    why: msg`its address is not allowed`,
    what: msg`Use a public https address: private networks, local addresses and ports of internal services are refused.`,
  },
  CONNECT_FAILED: {
    why: msg`the connection is refused`,
    what: msg`Check that your server runs and listens on the URL's port, and that its firewall lets us in.`,
  },
  CONNECT_TIMEOUT: {
    why: msg`the connection timed out`,
    what: msg`A firewall that drops packets causes this, and so does an overloaded server. Check both.`,
  },
  TLS_FAILED: {
    why: msg`the TLS handshake fails`,
    what: msg`Offer TLS 1.2 or 1.3 with common ciphers and HTTP/1.1. A server that speaks plain http on this port fails like this too.`,
  },
  TLS_CERTIFICATE_EXPIRED: {
    why: msg`its certificate has expired, or is not valid yet`,
    what: msg`Renew the certificate and reload the server. Check the server's clock.`,
  },
  TLS_CERTIFICATE_NAME: {
    why: msg`its certificate is for another name`,
    what: msg`Get a certificate for the URL's host, or change the URL to a host in the certificate.`,
  },
  TLS_CERTIFICATE_UNTRUSTED: {
    why: msg`its certificate is too weak, or by no known authority`,
    what: msg`Send the whole chain with intermediate certificates (fullchain.pem), or set your own authority under TLS.`,
  },
  TIMEOUT: {
    why: msg`it does not answer in time`,
    what: msg`Answer with 2xx at once, and do the work afterwards, from a queue.`,
  },
  CONNECTION_RESET: {
    why: msg`the connection closed before the answer`,
    what: msg`Look for a crash or restart of your server. A proxy with a short time limit causes this too.`,
  },
  PROTOCOL_ERROR: {
    why: msg`its answer is not HTTP/1.1`,
    what: msg`Check that the URL leads to a web server, and that any proxy speaks HTTP/1.1.`,
  },
  CONTENT_LENGTH_TWICE: {
    why: msg`its answer repeats the header Content-Length`,
    what: msg`Send Content-Length once. Often both your code and the server in front of it set it.`,
  },
  HEADERS_TOO_LARGE: {
    why: msg`its answer headers are too long`,
    what: msg`Send fewer or shorter headers; often these are cookies that a webhook does not need.`,
  },
  MESSAGE_REFUSED: {
    why: msg`Microsoft Teams has not taken the message`,
    what: msg`The body of the answer says why. Microsoft ends old connectors: a workflow replaces them.`,
  },
  AUTH_FAILED: {
    why: msg`its token server gives no access token`,
    what: msg`The endpoint's settings say what the token server answered. Check its URL, the client ID and the secret.`,
  },
  CONTENT_TOO_LARGE: {
    why: msg`its template makes too much of the event`,
    what: msg`Shorten the template of the endpoint. Then send the delivery again with the new content.`,
  },
  HTTP_301: redirects(),
  HTTP_302: redirects(),
  HTTP_307: redirects(),
  HTTP_308: redirects(),
  HTTP_401: refuses(msg`it answers 401, so it requires a login`),
  HTTP_403: refuses(msg`it answers 403, so it forbids the request`),
  HTTP_404: {
    why: msg`it answers 404, so this URL leads nowhere`,
    what: msg`Check the URL's path, and that the route accepts POST requests.`,
  },
  HTTP_405: {
    why: msg`it answers 405, so it does not accept the method`,
    what: msg`Let the route accept the method, which is usually POST, or change the URL or the method.`,
  },
  HTTP_410: {
    why: msg`it answers 410, so it wants no more deliveries`,
    what: msg`If that is a mistake, let it answer 2xx and enable the endpoint.`,
  },
  HTTP_413: {
    why: msg`it answers 413, so the request is too large`,
    what: msg`Raise the body limit of your server or proxy to at least 1 MB.`,
  },
  HTTP_429: {
    why: msg`it answers 429, so it gets more requests than it allows`,
    what: msg`Nothing is lost: we slow down and try again. Raise the limit if this lasts.`,
  },
  HTTP_502: gateways(msg`it answers 502, so the proxy does not reach your application`),
  HTTP_503: gateways(msg`it answers 503, so your application is not available`),
  HTTP_504: gateways(msg`it answers 504, so your application takes too long for the proxy`),
};

/** The remedy for an error code of an attempt, as `Attempt.errorCode` has it; a general one for other statuses. */
export function remedyFor(errorCode: string): Remedy {
  const known: Remedy | undefined = REMEDIES[errorCode as SendErrorCode];
  if (known !== undefined) {
    return known;
  }
  const status = /^HTTP_(\d{3})$/.exec(errorCode)?.[1];
  if (status === undefined) {
    return {
      why: msg`of ${errorCode}`,
      what: msg`Check the request and the answer of the latest attempt.`,
    };
  }
  return status.startsWith('3')
    ? redirects()
    : {
        why: msg`it answers ${status}`,
        what: msg`Check the body of the answer, and your server's log at the time of the attempt.`,
      };
}

function redirects(): Remedy {
  return {
    why: msg`it answers with a redirect, which is not followed`,
    what: msg`Change the URL to the redirect's target. Often that is https, or a trailing slash.`,
  };
}

function refuses(why: MessageDescriptor): Remedy {
  return {
    why,
    what: msg`Allow requests to this path without a login, and check their signature instead. A web application firewall may refuse them too.`,
  };
}

function gateways(why: MessageDescriptor): Remedy {
  return {
    why,
    what: msg`Check that your application runs and is healthy. During a deployment this resolves itself.`,
  };
}
