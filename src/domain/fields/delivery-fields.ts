import { DEFAULT_METHOD, DELIVERY_METHODS } from '../deliveries/delivery-method.js';
import { ATTEMPT_MS_MAX } from '../deliveries/health-limits.js';
import { RETRY_SECONDS_MAX } from '../deliveries/retry-policy.js';
import { DAY_MS } from '../text/durations.js';
import type { Group } from './field.js';
import { HEADERS_MAX } from './headers.js';

const TIMEOUT_MS_MIN = 1_000;
const RETRIES_MAX = 20;
const RETRY_DAYS_MAX = 7;
const retryRules = `At most ${RETRIES_MAX} delays of 1 to ${RETRY_SECONDS_MAX} seconds, together at most ${RETRY_DAYS_MAX} days, and a day less than deliveries are kept. An empty list means one attempt.`;

export const RATE_MIN = 0.01;
export const RATE_MAX = 1_000;
const CONCURRENCY_MAX = 1_000;
const divided =
  'is divided by the daemons that run, with at least 1 for each. The value of the installation holds in each daemon.';

export const chatRate = 'A chat gets one message a second, unless the webhook or its tenant sets a rate.';

const keyPair =
  'A signature by the key pair is a `v1a` entry in `webhook-signature`, which anybody can verify with the public key.';

const callbacks =
  'Then the webhook gets only events that name it and a path (`to` of `emitEvent`). Tests and checks go to the URL itself.';

const tlsRules = 'The URL needs https, and a change holds for new connections.';

/** How deliveries are sent to a webhook (docs/options.md). */
export const delivery = {
  kind: 'group',
  type: 'DeliveryOptions',
  option: 'DeliveryOption',
  scope: 'webhooks:options',
  warns: true,
  optionsRow: true,
  description: 'How the endpoint is called.',
  input: 'How the endpoint is called. Options that are left out stay as they are.',
  rest: 'How the endpoint is called. null resets an option.',
  fields: {
    timeoutMs: {
      kind: 'number',
      part: 'pace',
      whole: true,
      min: TIMEOUT_MS_MIN,
      max: ATTEMPT_MS_MAX,
      unit: 'ms',
      maxOf: 'attemptTimeoutMsMax',
      refusedAs: 'timeout_out_of_range',
      inherited: 'timeoutMs',
      description: 'The longest time for a whole attempt, in milliseconds. Connecting gets at most half of it.',
      input: `The longest time for a whole attempt, in milliseconds: ${TIMEOUT_MS_MIN} to the operator's maximum, usually 30000.`,
      rest: `The longest time for a whole attempt, in milliseconds: ${TIMEOUT_MS_MIN} to the operator's maximum, usually 30000.`,
    },
    retryDelaysSeconds: {
      kind: 'delays',
      part: 'retry',
      countMax: RETRIES_MAX,
      secondsMax: RETRY_SECONDS_MAX,
      totalSecondsMax: (RETRY_DAYS_MAX * DAY_MS) / 1_000,
      refusedAs: { count: 'retry_delays_too_many', each: 'retry_delay_out_of_range', total: 'retry_delays_too_long' },
      inherited: 'retryDelaysSeconds',
      description:
        'The delays between a failed attempt and its retry, in seconds. There is one attempt more than there are delays.',
      input: `The delays between a failed attempt and its retry, in seconds. ${retryRules} A retry that is planned keeps its time.`,
      rest: `The delays between a failed attempt and its retry, in seconds. ${retryRules} A retry that is planned keeps its time.`,
    },
    recovery: {
      kind: 'choice',
      part: 'retry',
      type: 'Recovery',
      about: 'Who enables a webhook that failures have disabled.',
      values: {
        MANUAL: 'A person.',
        AUTOMATIC:
          'The service, when the endpoint answers again. It sends the oldest held delivery after 1, 2, 4 ... 60 minutes.',
      },
      inherited: 'recovery',
      description: 'Who enables the webhook after failures have disabled it.',
      input: 'Who enables the webhook after failures have disabled it.',
      rest: 'Who enables the webhook after failures have disabled it: MANUAL (a person) or AUTOMATIC (the service, when the endpoint answers again).',
    },
    ratePerSecond: {
      kind: 'number',
      part: 'pace',
      min: RATE_MIN,
      max: RATE_MAX,
      refusedAs: 'rate_out_of_range',
      optional: true,
      inherited: 'ratePerSecond',
      description: `The most requests a second, over all processes. Null when there is no limit. ${chatRate}`,
      input: `The most requests a second, ${RATE_MIN} to ${RATE_MAX}, over all processes. Deliveries above it wait, without an attempt. ${chatRate}`,
      rest: `The most requests a second, ${RATE_MIN} to ${RATE_MAX}, over all processes. Deliveries above it wait, without an attempt; null means no limit. ${chatRate}`,
    },
    concurrencyMax: {
      kind: 'number',
      part: 'pace',
      whole: true,
      min: 1,
      max: CONCURRENCY_MAX,
      maxOf: 'endpointConcurrencyMax',
      refusedAs: 'concurrency_out_of_range',
      inherited: 'concurrencyMax',
      description: `The most requests at a time. A value that the webhook or its tenant sets ${divided}`,
      input: `The most requests at a time, 1 to the operator's maximum, usually 64. It ${divided}`,
      rest: `The most requests at a time, 1 to the operator's maximum, usually 64. It ${divided}`,
    },
    method: {
      kind: 'choice',
      part: 'headers',
      type: 'DeliveryMethod',
      about: 'The method of requests to an endpoint.',
      values: DELIVERY_METHODS,
      optional: true,
      default: DEFAULT_METHOD,
      description: 'The method of requests.',
      input: 'The method of requests, which holds from the next attempt on. Null means POST.',
      rest: 'The method of requests: POST, PUT or PATCH. It holds from the next attempt on; null means POST.',
    },
    signing: {
      kind: 'choice',
      part: 'signatures',
      type: 'Signing',
      about: 'How the requests to an endpoint are signed.',
      values: {
        SECRET: "By the webhook's secret.",
        SECRET_AND_KEY: "By the webhook's secret, and by the key pair of its tenant: `v1a` in `webhook-signature`.",
      },
      inherited: 'signing',
      since: '0.2.0',
      description: 'How requests are signed.',
      input: `How requests are signed, from the next attempt on. ${keyPair}`,
      rest: `How requests are signed, from the next attempt on: SECRET (by the secret of the webhook) or SECRET_AND_KEY (by the key pair of its tenant too). ${keyPair}`,
    },
    callback: {
      kind: 'boolean',
      part: 'headers',
      optional: true,
      default: false,
      since: '0.2.0',
      description: `Whether events go to addresses below the URL. ${callbacks}`,
      input: `Whether events go to addresses below the URL. ${callbacks} Null means false.`,
      rest: `Whether events go to addresses below the URL. ${callbacks} null means false.`,
    },
    headers: {
      kind: 'headers',
      part: 'headers',
      optional: true,
      default: [],
      description: 'Headers that each request has besides those of the service, which are not signed.',
      input: `At most ${HEADERS_MAX} headers by their names. Those of the service and of the connection are refused.`,
      rest: `Headers that each request has besides those of the service, by their names: at most ${HEADERS_MAX}. They are not signed. null removes a header; one without \`value\` stays as it is. A header is secret unless \`secret\` is false: then nobody can read its value.`,
    },
    auth: {
      kind: 'auth',
      part: 'auth',
      optional: true,
      description: 'How requests prove to the endpoint who sends them. Null: by their signature alone.',
      input: 'How requests prove to the endpoint who sends them, as a whole. Null removes it.',
      rest: 'How requests prove to the endpoint who sends them: exactly one of `basic`, `bearer`, `api_key` and `oauth2`. Passwords, tokens, keys and client secrets are never shown. An object with none of them leaves their secret as it is; null removes it.',
    },
    tls: {
      kind: 'tls',
      part: 'tls',
      optional: true,
      since: '0.2.0',
      description:
        'The TLS of connections to the endpoint: authorities of its own, and a certificate that requests show. Null: the public authorities, and no certificate.',
      input: `The TLS of connections to the endpoint: \`caPem\`, or \`clientCertificatePem\` with \`clientKeyPem\`, or all three. What is left out stays, and null removes it. ${tlsRules} Null removes all.`,
      rest: `The TLS of connections to the endpoint: \`ca_pem\`, or \`client_certificate_pem\` with \`client_key_pem\`, or all three. What is left out stays, and null removes it. ${tlsRules} The private key is never shown; \`ca\` and \`client_certificate\`, which \`GET\` shows, are ignored. Null removes all.`,
    },
    compat: {
      kind: 'text',
      part: 'signatures',
      charsMax: 40,
      among: 'signatureForms',
      setBy: 'platform',
      since: '0.2.0',
      optional: true,
      description:
        'The name of the form in which each attempt is signed as by a former system too, such as `svix`. Null: in none.',
      input:
        'The name of a form in which each attempt is signed as by a former system too: `svix`, `convoy`, `convoy-simple`, `outpost`, or one of `SIGNATURE_FORMS`. Only platform keys may set it; null, which others may write too, removes it.',
      rest: 'The name of a form in which each attempt is signed as by a former system too: svix, convoy, convoy-simple, outpost, or one of SIGNATURE_FORMS; null: in none. Only platform keys may set it; others may remove it.',
    },
  },
} as const satisfies Group;
