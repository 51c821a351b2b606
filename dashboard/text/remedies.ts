import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

/** The meaning of each error code for the owner of the endpoint, and what the owner can do. */
export interface Remedy {
  /** Follows "because": `its certificate has expired`. */
  why: MessageDescriptor;
  what: MessageDescriptor;
}

const REMEDIES: Record<string, Remedy> = {
  DNS_FAILED: {
    why: msg`the name of its host cannot be resolved`,
    what: msg`Check the spelling of the host, and that its DNS record is public and has an address.`,
  },
  TARGET_REFUSED: {
    why: msg`its address may not be called from here`,
    what: msg`Use a public https address: private networks, local addresses and ports of internal services are refused.`,
  },
  CONNECT_FAILED: {
    why: msg`the connection is refused`,
    what: msg`Check that your server runs, listens on the port of the url, and that its firewall lets us in.`,
  },
  CONNECT_TIMEOUT: {
    why: msg`no connection comes about in time`,
    what: msg`A firewall that drops packets looks like this, and so does an overloaded server. Check both.`,
  },
  TLS_FAILED: {
    why: msg`the TLS handshake fails`,
    what: msg`Offer TLS 1.2 or 1.3 with common ciphers and HTTP/1.1. A server that speaks plain http on this port fails like this too.`,
  },
  TLS_CERTIFICATE_EXPIRED: {
    why: msg`its certificate has expired, or is not valid yet`,
    what: msg`Renew the certificate, and reload the server so that it is used. Check the server's clock.`,
  },
  TLS_CERTIFICATE_NAME: {
    why: msg`its certificate is for another name`,
    what: msg`Get a certificate that names the host of the url, or change the url to a host that the certificate names.`,
  },
  TLS_CERTIFICATE_UNTRUSTED: {
    why: msg`no known authority has signed its certificate`,
    what: msg`Send the whole chain with its intermediate certificates (fullchain.pem), and do not use a self-signed one.`,
  },
  TIMEOUT: {
    why: msg`it does not answer in time`,
    what: msg`Answer with 2xx at once, and do the work afterwards, from a queue.`,
  },
  CONNECTION_RESET: {
    why: msg`the connection is cut before the answer`,
    what: msg`Look for a crash or a restart of your server, and for a proxy whose time limit is shorter than your answer takes.`,
  },
  PROTOCOL_ERROR: {
    why: msg`what comes back is not HTTP/1.1`,
    what: msg`Check that the url leads to a web server, and that a proxy in front of it speaks HTTP/1.1.`,
  },
  CONTENT_LENGTH_TWICE: {
    why: msg`its answer has the header Content-Length more than once`,
    what: msg`Send Content-Length once: often both your code and the server or proxy in front of it set it.`,
  },
  HEADERS_TOO_LARGE: {
    why: msg`the headers of its answer are too long`,
    what: msg`Send fewer or shorter headers; often these are cookies that a webhook does not need.`,
  },
  HTTP_301: redirects(),
  HTTP_302: redirects(),
  HTTP_307: redirects(),
  HTTP_308: redirects(),
  HTTP_401: refuses(msg`it answers 401, so it wants a login`),
  HTTP_403: refuses(msg`it answers 403, so it forbids the request`),
  HTTP_404: {
    why: msg`it answers 404, so there is nothing at this url`,
    what: msg`Check the path of the url, and that the route takes POST requests.`,
  },
  HTTP_405: {
    why: msg`it answers 405, so it does not take POST`,
    what: msg`Let the route take POST requests, or change the url to one that does.`,
  },
  HTTP_410: {
    why: msg`it answers 410, so it wants no more deliveries`,
    what: msg`If that is a mistake, let it answer 2xx and enable the endpoint.`,
  },
  HTTP_413: {
    why: msg`it answers 413, so the request is too large for it`,
    what: msg`Raise the body limit of your server or proxy to at least 1 MB.`,
  },
  HTTP_429: {
    why: msg`it answers 429, so it gets more than it takes`,
    what: msg`Nothing is lost: we slow down and try again. Raise the limit if this lasts.`,
  },
  HTTP_502: gateways(msg`it answers 502, so the proxy does not reach your application`),
  HTTP_503: gateways(msg`it answers 503, so your application is not available`),
  HTTP_504: gateways(msg`it answers 504, so your application takes too long for the proxy`),
};

/** The remedy for an error code of an attempt, as `Attempt.errorCode` has it; a general one for other statuses. */
export function remedyFor(errorCode: string): Remedy {
  const known = REMEDIES[errorCode];
  if (known !== undefined) {
    return known;
  }
  const status = /^HTTP_(\d{3})$/.exec(errorCode)?.[1];
  if (status === undefined) {
    return {
      why: msg`of ${errorCode}`,
      what: msg`Look at the latest attempt for what was sent and what came back.`,
    };
  }
  return status.startsWith('3')
    ? redirects()
    : {
        why: msg`it answers ${status}`,
        what: msg`Look at the body of the answer, and at your server's log at the time of the attempt.`,
      };
}

function redirects(): Remedy {
  return {
    why: msg`it answers with a redirect, which is not followed`,
    what: msg`Change the url to where the redirect leads. Often that is https, or a slash at the end.`,
  };
}

function refuses(why: MessageDescriptor): Remedy {
  return {
    why,
    what: msg`Let requests to this path through without a login, and check their signature instead. A firewall for web applications may refuse them too.`,
  };
}

function gateways(why: MessageDescriptor): Remedy {
  return {
    why,
    what: msg`Check that your application runs and is healthy. During a deployment this passes by itself.`,
  };
}
