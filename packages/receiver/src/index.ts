export type { Scheme } from './claim.js';
export type { HeaderNames, HeadersInput } from './headers.js';
export type { PublicKeys } from './jwks.js';
export type { Reason, Refusal } from './refusal.js';
export { SecretMalformedError, type Secrets } from './secrets.js';
export { type Delivery, type Verdict, type VerifyOptions, verify } from './verify.js';
