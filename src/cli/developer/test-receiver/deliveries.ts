import type { Message } from './http-probe.js';
import {
  type Case,
  detailOf,
  failed,
  isTaken,
  passed,
  type Result,
  refusalOf,
  skipped,
  type TestRun,
} from './test-case.js';

type Make = (testRun: TestRun) => Message;

const RAW_BODY =
  'Verify the raw bytes of the body, as they came, before anything parses it as JSON and writes it again.';

/** The receiver must answer 2xx. */
const taken = (id: string, name: string, make: Make, remedy: string): Case => ({
  id,
  group: 'must be taken',
  name,
  remedy,
  async run(testRun) {
    const answer = await testRun.send(make(testRun));
    return isTaken(answer) ? passed(detailOf(answer)) : failed(refusalOf(answer));
  },
});

/** The receiver must answer 4xx. @param only the scheme that notices it */
const refused = (id: string, name: string, make: Make, remedy: string, only?: TestRun['scheme']): Case => ({
  id,
  group: 'must be refused',
  name,
  remedy,
  async run(testRun) {
    if (only !== undefined && only !== testRun.scheme) {
      return skipped('X-Service-Signature does not cover it');
    }
    return judgeRefusal(await testRun.send(make(testRun)));
  },
});

function judgeRefusal(answer: Awaited<ReturnType<TestRun['send']>>): Result {
  if (answer.status >= 400 && answer.status < 500) {
    return passed(detailOf(answer));
  }
  const crashed = answer.status >= 500 ? ': it failed, where it must refuse with 401' : '';
  return failed(`${detailOf(answer)}${isTaken(answer) ? ': it was taken' : crashed}`);
}

const lengthOf = (text: string) => Buffer.byteLength(text);
const json = (testRun: TestRun, more: object) => JSON.stringify({ ...testRun.payload, ...more });
const signature = (testRun: TestRun, value: (before: string) => string, message = testRun.delivery()) =>
  testRun.altered(message, new RegExp(`^${testRun.signatureHeader}$`, 'i'), value);

/** Text that a receiver changes when it reads the body in another encoding, or parses it and writes it again. */
const UNUSUAL = '"Zo\\u00eb, Łódź 🎫 \\u2028 \\/ \\t"';
const MIB = 1_048_576;

const TAKEN: Case[] = [
  taken('good', 'a good delivery', (testRun) => testRun.delivery(), `Is it the secret of this webhook? ${RAW_BODY}`),
  taken(
    'one-scheme',
    'with the headers of one scheme alone',
    (testRun) => testRun.without(testRun.scheme === 'standard' ? 'contract' : 'standard', testRun.delivery()),
    'Go by one signature, without asking for the other one. If yours goes by the other, test with --scheme.',
  ),
  taken(
    'rotation-new',
    'during a rotation, by the new secret',
    (testRun) => testRun.delivery({ overlap: testRun.scheme === 'standard' ? 'new' : 'old' }),
    'Compare with every entry of webhook-signature, which are separated by spaces.',
  ),
  taken(
    'rotation-old',
    'during a rotation, by the old secret',
    (testRun) => testRun.delivery({ overlap: 'old' }),
    'Compare with every entry of webhook-signature, not only with the first one.',
  ),
  taken(
    'unknown-entry',
    'beside an entry of another version',
    (testRun) =>
      testRun.scheme === 'standard' ? signature(testRun, (before) => `v1a,bm90aGluZw== ${before}`) : testRun.delivery(),
    'Pass over the entries of webhook-signature that do not begin with "v1,".',
  ),
  taken(
    'unknown-event',
    'an event type that it does not know',
    (testRun) => testRun.delivery({ eventType: 'hookwright.never_heard_of' }),
    'Answer 2xx to event types that you do not handle: a refusal is retried, and ten of them disable the webhook.',
  ),
  taken(
    'unknown-field',
    'a field that it does not know',
    (testRun) => testRun.delivery({ body: json(testRun, { hookwright_new_field: { a: [1, null] } }) }),
    'Ignore unknown fields: event types get new ones.',
  ),
  taken(
    'utf-8',
    'UTF-8 and escapes',
    (testRun) => testRun.delivery({ body: json(testRun, { note: 0 }).replace(/0\}$/, `${UNUSUAL}}`) }),
    `${RAW_BODY} Where the body is a text, it is UTF-8.`,
  ),
  taken(
    'big-numbers',
    'numbers above 2⁵³',
    (testRun) => testRun.delivery({ body: json(testRun, { n: 0 }).replace(/0\}$/, '[9007199254740993, 1.0, -0]}') }),
    RAW_BODY,
  ),
  taken(
    'one-mib',
    'a body of 1 MiB',
    (testRun) =>
      testRun.delivery({ body: json(testRun, { filler: 'x'.repeat(MIB - lengthOf(json(testRun, { filler: '' }))) }) }),
    'Raise the limit of your framework (Express: limit: "2mb") and of the proxy before it (nginx: client_max_body_size).',
  ),
];

const REFUSED: Case[] = [
  refused(
    'wrong-secret',
    'the signature of another secret',
    (testRun) => testRun.delivery({ byOther: true }),
    'Verify the signature, and answer 401 when it differs.',
  ),
  refused(
    'altered-body',
    'an altered body',
    (testRun) => {
      const { body, ...message } = testRun.delivery();
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
    (testRun) => testRun.altered(testRun.delivery(), /^webhook-id$|-Delivery$/i, (before) => `${before}1`),
    'Sign "<webhook-id>.<webhook-timestamp>.<body>", with the values of the headers, and never take X-Service-Signature instead.',
    'standard',
  ),
  refused(
    'altered-timestamp',
    'an altered timestamp',
    (testRun) => testRun.altered(testRun.delivery(), /-timestamp$/i, (before) => String(Number(before) - 1)),
    'Sign "<webhook-id>.<webhook-timestamp>.<body>", with the values of the headers, and never take X-Service-Signature instead.',
    'standard',
  ),
  refused(
    'too-old',
    '6 minutes old',
    (testRun) => testRun.delivery({ ageSeconds: 360 }),
    'Refuse a timestamp more than 300 seconds from your clock: otherwise a recorded delivery can be repeated for ever.',
  ),
  refused(
    'too-new',
    '6 minutes ahead',
    (testRun) => testRun.delivery({ ageSeconds: -360 }),
    'Compare the distance: Math.abs(now - timestamp) > 300 is refused.',
  ),
  refused(
    'no-signature',
    'without a signature',
    (testRun) => testRun.without('contract', testRun.without('standard', testRun.delivery())),
    'Answer 401 when the header is missing.',
  ),
  refused(
    'other-scheme-alone',
    "with the contract's headers alone",
    (testRun) => testRun.without('standard', testRun.delivery()),
    'Never go by whichever signature is there: X-Service-Signature does not cover the time, so who strips headers can replay.',
    'standard',
  ),
  refused(
    'empty-signature',
    'an empty signature',
    (testRun) => signature(testRun, () => ''),
    'Answer 401 when the header is empty.',
  ),
  refused(
    'two-signatures',
    'two signatures, neither of which is right',
    (testRun) =>
      testRun.scheme === 'standard'
        ? signature(testRun, (before) => `${before} ${before}`, testRun.delivery({ byOther: true }))
        : signature(testRun, (before) => `${before}, ${before}`),
    'Each entry must be compared as a whole.',
  ),
  refused(
    'malformed-signature',
    'a signature that is not one',
    (testRun) =>
      signature(testRun, (before) => (testRun.scheme === 'standard' ? 'v1,***' : before.replace(/=.*/, '=xyz'))),
    'Compare lengths before timingSafeEqual, which throws when they differ: answer 401 and not 500.',
  ),
  refused(
    'rewritten-body',
    'a body that differs from the signed one by spaces alone',
    (testRun) => ({ ...testRun.delivery(), body: Buffer.from(`${JSON.stringify(testRun.payload, null, 2)}\n`) }),
    RAW_BODY,
  ),
];

export const DELIVERIES: readonly Case[] = [...TAKEN, ...REFUSED];
