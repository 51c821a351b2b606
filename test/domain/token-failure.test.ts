import { expect, test } from 'vitest';
import { tokenFailureDetail } from '../../src/domain/oauth/token-failure.js';

test('a token server gets no client certificate, so none is what it has refused', () => {
  expect(['TLS_FAILED', 'CONNECTION_RESET', 'HTTP_503'].map(tokenFailureDetail)).toEqual([
    'No token came from the token server: the TLS handshake failed, or it asks for a client certificate, which it does not get.',
    'No token came from the token server: it cut the connection before its answer.',
    'No token came from the token server: it answered with the status 503.',
  ]);
});
