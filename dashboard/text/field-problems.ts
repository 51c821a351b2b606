import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Issue } from '../parts/issues';

/** The rules that options of an endpoint can break, by the codes of the API, as sentences of their own. */
const PROBLEMS: Readonly<Record<string, MessageDescriptor>> = {
  ca_malformed: msg`Enter certificates in PEM: at most 10, without a private key, in 16 KiB.`,
  certificate_malformed: msg`Enter the certificate in PEM, with its chain below it: at most 10, without a private key, in 16 KiB.`,
  certificate_expired: msg`This certificate has expired. Enter its successor.`,
  certificate_key_mismatch: msg`This private key does not belong to the certificate. Enter the pair.`,
  key_malformed: msg`Enter one private key in PEM: RSA, EC with P-256, P-384 or P-521, or Ed25519.`,
  key_encrypted: msg`This private key is encrypted. Remove its passphrase first: openssl pkey writes it without.`,
  key_too_short: msg`This RSA key is too short. It must have 2,048 to 4,096 bits.`,
  key_too_long: msg`This RSA key is too long. It must have 2,048 to 4,096 bits.`,
  tls_needs_https: msg`Certificates require a URL that begins with https://.`,
  username_malformed: msg`Enter a user name without a colon or control characters, at most 4,096 bytes with its password.`,
  password_malformed: msg`Enter a password without control characters, at most 4,096 bytes with its user name.`,
  token_malformed: msg`Enter the token alone, without blanks and without the word Bearer.`,
  header_name_malformed: msg`Enter a header name of letters, digits and hyphens.`,
  header_not_allowed: msg`The service, the connection or the authentication sets this header. Choose another name.`,
  header_value_malformed: msg`Enter visible ASCII characters, without blanks at the ends.`,
  client_id_malformed: msg`Enter 1 to 1,000 printable ASCII characters.`,
  client_secret_malformed: msg`Enter 1 to 4,096 printable ASCII characters.`,
  scope_malformed: msg`Separate scopes by one blank. They must not contain quotes or backslashes.`,
  audience_malformed: msg`Enter at most 1,000 printable ASCII characters.`,
  auth_needs_https: msg`Secrets require a URL that begins with https://.`,
  url_not_absolute: msg`Enter a full URL, such as https://example.com/webhooks.`,
  url_characters: msg`The URL must not contain control characters.`,
  url_scheme: msg`The URL must begin with https://, unless the operator allows http://.`,
  url_userinfo: msg`The URL must not contain a user name or password.`,
  url_fragment: msg`Remove the part after #. It would never be sent.`,
  url_port: msg`Use port 443 or 80, or a port from 1024 that no internal service uses.`,
  url_host: msg`The host must have a public name, such as hooks.example.com.`,
};

/** Values that others require. The API has one code for all of them. */
const REQUIRED: Readonly<Record<string, MessageDescriptor>> = {
  clientKeyPem: msg`Enter the private key of this certificate. The key that is set belongs to another certificate.`,
  clientCertificatePem: msg`Enter the certificate of this private key.`,
};

/** A broken rule in the reader's language; undefined: only the API has words for it. */
export function problemWords({ code, path }: Issue): MessageDescriptor | undefined {
  return code === 'required' ? REQUIRED[String(path.at(-1))] : PROBLEMS[code ?? ''];
}
