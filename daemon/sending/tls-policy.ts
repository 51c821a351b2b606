/** How we connect and speak TLS, with a target and with a proxy alike: for undici's `buildConnector`. */
export const TLS_POLICY = {
  autoSelectFamily: true,
  // HTTP/2 would bring its own floods (settings, resets, headers) for no gain with one request at a time.
  allowH2: false,
  // Said aloud, since NODE_TLS_REJECT_UNAUTHORIZED and --tls-min-v1.0 would change the defaults.
  rejectUnauthorized: true,
  minVersion: 'TLSv1.2',
  // A session that goes on is quicker: a tenant would see by it who else sends to that host.
  maxCachedSessions: 0,
} as const;
