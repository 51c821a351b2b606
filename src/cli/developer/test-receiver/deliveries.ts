import type { Message } from './speak.js';
import { type Case, detailOf, failed, isTaken, passed, type Result, refusalOf, skipped, type Trial } from './trial.js';

type Make = (trial: Trial) => Message;

const RAW_BODY =
  'Verify the raw bytes of the body, as they came, before anything parses it as JSON and writes it again.';

/** The receiver must answer 2xx. */
const taken = (id: string, name: string, make: Make, remedy: string): Case => ({
  id,
  group: 'must be taken',
  name,
  remedy,
  async run(trial) {
    const answer = await trial.send(make(trial));
    return isTaken(answer) ? passed(detailOf(answer)) : failed(refusalOf(answer));
  },
});

/** The receiver must answer 4xx. @param only the scheme that notices it */
const refused = (id: string, name: string, make: Make, remedy: string, only?: Trial['scheme']): Case => ({
  id,
  group: 'must be refused',
  name,
  remedy,
  async run(trial) {
    if (only !== undefined && only !== trial.scheme) {
      return skipped('X-Service-Signature does not cover it');
    }
    return judgeRefusal(await trial.send(make(trial)));
  },
});

function judgeRefusal(answer: Awaited<ReturnType<Trial['send']>>): Result {
  if (answer.status >= 400 && answer.status < 500) {
    return passed(detailOf(answer));
  }
  const crashed = answer.status >= 500 ? ': it failed, where it must refuse with 401' : '';
  return failed(`${detailOf(answer)}${isTaken(answer) ? ': it was taken' : crashed}`);
}

const lengthOf = (text: string) => Buffer.byteLength(text);
const json = (trial: Trial, more: object) => JSON.stringify({ ...trial.payload, ...more });
const signature = (trial: Trial, value: (before: string) => string, message = trial.delivery()) =>
  trial.altered(message, new RegExp(`^${trial.signatureHeader}$`, 'i'), value);

/** Text that a receiver changes when it reads the body in another encoding, or parses it and writes it again. */
const UNUSUAL = '"Zo\\u00eb, Łódź 🎫 \\u2028 \\/ \\t"';
const MIB = 1_048_576;

const TAKEN: Case[] = [
  taken('good', 'a good delivery', (trial) => trial.delivery(), `Is it the secret of this webhook? ${RAW_BODY}`),
  taken(
    'one-scheme',
    'with the headers of one scheme alone',
    (trial) => trial.without(trial.scheme === 'standard' ? 'contract' : 'standard', trial.delivery()),
    'Go by one signature, without asking for the other one. If yours goes by the other, test with --scheme.',
  ),
  taken(
    'rotation-new',
    'during a rotation, by the new secret',
    (trial) => trial.delivery({ overlap: trial.scheme === 'standard' ? 'new' : 'old' }),
    'Compare with every entry of webhook-signature, which are separated by spaces.',
  ),
  taken(
    'rotation-old',
    'during a rotation, by the old secret',
    (trial) => trial.delivery({ overlap: 'old' }),
    'Compare with every entry of webhook-signature, not only with the first one.',
  ),
  taken(
    'unknown-entry',
    'beside an entry of another version',
    (trial) =>
      trial.scheme === 'standard' ? signature(trial, (before) => `v1a,bm90aGluZw== ${before}`) : trial.delivery(),
    'Pass over the entries of webhook-signature that do not begin with "v1,".',
  ),
  taken(
    'unknown-event',
    'an event type that it does not know',
    (trial) => trial.delivery({ eventType: 'hookwright.never_heard_of' }),
    'Answer 2xx to event types that you do not handle: a refusal is retried, and ten of them disable the webhook.',
  ),
  taken(
    'unknown-field',
    'a field that it does not know',
    (trial) => trial.delivery({ body: json(trial, { hookwright_new_field: { a: [1, null] } }) }),
    'Ignore unknown fields: event types get new ones.',
  ),
  taken(
    'utf-8',
    'UTF-8 and escapes',
    (trial) => trial.delivery({ body: json(trial, { note: 0 }).replace(/0\}$/, `${UNUSUAL}}`) }),
    `${RAW_BODY} Where the body is a text, it is UTF-8.`,
  ),
  taken(
    'big-numbers',
    'numbers above 2⁵³',
    (trial) => trial.delivery({ body: json(trial, { n: 0 }).replace(/0\}$/, '[9007199254740993, 1.0, -0]}') }),
    RAW_BODY,
  ),
  taken(
    'one-mib',
    'a body of 1 MiB',
    (trial) =>
      trial.delivery({ body: json(trial, { filler: 'x'.repeat(MIB - lengthOf(json(trial, { filler: '' }))) }) }),
    'Raise the limit of your framework (Express: limit: "2mb") and of the proxy before it (nginx: client_max_body_size).',
  ),
];

const REFUSED: Case[] = [
  refused(
    'wrong-secret',
    'the signature of another secret',
    (trial) => trial.delivery({ byOther: true }),
    'Verify the signature, and answer 401 when it differs.',
  ),
  refused(
    'altered-body',
    'an altered body',
    (trial) => {
      const { body, ...message } = trial.delivery();
      return {
        ...message,
        body: Buffer.from(
          body
            .toString()
            .replace(/\}\s*$/, ',"amount":1}')
            .replace('{,', '{'),
        ),
      };
    },
    RAW_BODY,
  ),
  refused(
    'altered-id',
    'an altered webhook-id',
    (trial) => trial.altered(trial.delivery(), /^webhook-id$|-Delivery$/i, (before) => `${before}1`),
    'Sign "<webhook-id>.<webhook-timestamp>.<body>", with the values of the headers, and never take X-Service-Signature instead.',
    'standard',
  ),
  refused(
    'altered-timestamp',
    'an altered timestamp',
    (trial) => trial.altered(trial.delivery(), /-timestamp$/i, (before) => String(Number(before) - 1)),
    'Sign "<webhook-id>.<webhook-timestamp>.<body>", with the values of the headers, and never take X-Service-Signature instead.',
    'standard',
  ),
  refused(
    'too-old',
    '6 minutes old',
    (trial) => trial.delivery({ ageSeconds: 360 }),
    'Refuse a timestamp more than 300 seconds from your clock: otherwise a recorded delivery can be repeated for ever.',
  ),
  refused(
    'too-new',
    '6 minutes ahead',
    (trial) => trial.delivery({ ageSeconds: -360 }),
    'Compare the distance: Math.abs(now - timestamp) > 300 is refused.',
  ),
  refused(
    'no-signature',
    'without a signature',
    (trial) => trial.without('contract', trial.without('standard', trial.delivery())),
    'Answer 401 when the header is missing.',
  ),
  refused(
    'other-scheme-alone',
    "with the contract's headers alone",
    (trial) => trial.without('standard', trial.delivery()),
    'Never go by whichever signature is there: X-Service-Signature does not cover the time, so who strips headers can replay.',
    'standard',
  ),
  refused(
    'empty-signature',
    'an empty signature',
    (trial) => signature(trial, () => ''),
    'Answer 401 when the header is empty.',
  ),
  refused(
    'two-signatures',
    'two signatures, neither of which is right',
    (trial) =>
      trial.scheme === 'standard'
        ? signature(trial, (before) => `${before} ${before}`, trial.delivery({ byOther: true }))
        : signature(trial, (before) => `${before}, ${before}`),
    'Each entry must be compared as a whole.',
  ),
  refused(
    'malformed-signature',
    'a signature that is not one',
    (trial) => signature(trial, (before) => (trial.scheme === 'standard' ? 'v1,***' : before.replace(/=.*/, '=xyz'))),
    'Compare lengths before timingSafeEqual, which throws when they differ: answer 401 and not 500.',
  ),
  refused(
    'rewritten-body',
    'a body that differs from the signed one by spaces alone',
    (trial) => ({ ...trial.delivery(), body: Buffer.from(`${JSON.stringify(trial.payload, null, 2)}\n`) }),
    RAW_BODY,
  ),
];

export const DELIVERIES: readonly Case[] = [...TAKEN, ...REFUSED];
