import { writeFileSync } from 'node:fs';
import { DEFAULT_METHOD, type DeliveryMethod } from '../../../domain/deliveries/delivery-method.js';
import { readPayload } from '../options/payload-file.js';
import { BEHAVIOUR } from './behaviour.js';
import { DELIVERIES } from './deliveries.js';
import { Effects } from './effects.js';
import { type Answer, HttpProbe } from './http-probe.js';
import { asJson, asJunit, asText, type Outcome } from './report.js';
import { isTaken, NOTHING_TAKEN, type Scheme, TestRun } from './test-case.js';

interface ReceiverOptions {
  secret?: string;
  scheme?: Scheme;
  method?: DeliveryMethod;
  event?: string;
  payload?: string;
  headerPrefix?: string;
  effectUrl?: string;
  timeout?: number;
  json?: boolean;
  junit?: string;
  /** 1; tests have less. */
  pauseFactor?: number;
}

const PAYLOAD = '{"booking_code":"BK-4711","local_number":"17","brand":"Hookwright"}';
/** The receiver could not be tested at all; 1: it was, and a case failed. */
const EXIT_UNTESTED = 2;

/** `hookwright test-receiver`: plays the service against a receiver, prints verdicts, and sets the exit code. */
export async function testReceiver(address: string, options: ReceiverOptions): Promise<void> {
  try {
    const outcomes = await examineReceiver(address, options);
    const text = options.json ? asJson(address, options.scheme ?? 'standard', outcomes) : asText(address, outcomes);
    process.stdout.write(text);
    if (options.junit !== undefined) {
      writeFileSync(options.junit, asJunit(address, outcomes));
    }
    process.exitCode = outcomes.some(({ verdict }) => verdict === 'failed') ? 1 : 0;
  } catch (error) {
    process.stderr.write(`hookwright: ${(error as Error).message}\n`);
    process.exitCode = EXIT_UNTESTED;
  }
}

/** @throws Error with a sentence when there is nothing to test */
export async function examineReceiver(address: string, options: ReceiverOptions): Promise<Outcome[]> {
  const url = urlOf(address, 'The address of the receiver');
  const { pauseFactor = 1 } = options;
  using probe = new HttpProbe(url, (options.timeout ?? 15) * 1_000, pauseFactor);
  const testRun = new TestRun({
    probe,
    secret: secretOf(options),
    scheme: options.scheme ?? 'standard',
    method: options.method ?? DEFAULT_METHOD,
    headerPrefix: options.headerPrefix ?? 'X-Service',
    eventType: options.event ?? 'booking.created',
    payload: options.payload === undefined ? PAYLOAD : JSON.stringify(readPayload(options.payload).payload),
    effects:
      options.effectUrl === undefined
        ? undefined
        : new Effects(urlOf(options.effectUrl, 'The effect URL'), pauseFactor),
  });
  await testRun.effects?.count();
  const first = await testRun.send(testRun.delivery());
  requireReceiver(url, first, options.method ?? DEFAULT_METHOD);
  const hint = isTaken(first) ? undefined : await whyNothingIsTaken(testRun, first);
  const outcomes: Outcome[] = [];
  for (const { run, ...about } of [...DELIVERIES, ...BEHAVIOUR]) {
    const startedAt = performance.now();
    const result = hint !== undefined && about.id !== 'good' ? NOTHING_TAKEN : await run(testRun);
    const remedy = hint !== undefined && about.id === 'good' ? hint : about.remedy;
    outcomes.push({ ...about, ...result, remedy, ms: Math.round(performance.now() - startedAt) });
  }
  return outcomes;
}

function urlOf(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error(`${what} is "${text}"; it must be a URL that begins with http:// or https://.`);
  }
  return url;
}

function secretOf({ secret = process.env['WEBHOOK_SECRET'] }: ReceiverOptions): string {
  if (!secret) {
    throw new Error('Give the secret of the receiver with --secret whsec_… or in WEBHOOK_SECRET.');
  }
  return secret.trim();
}

/** @throws Error with a sentence where nobody takes requests */
function requireReceiver(url: URL, { status, trouble, location }: Answer, method: DeliveryMethod): void {
  if (trouble === 'ECONNREFUSED') {
    throw new Error(`Nothing listens at ${url.origin}. Start your receiver, and look at its port.`);
  }
  if (trouble === 'ENOTFOUND' || trouble === 'EAI_AGAIN') {
    throw new Error(`No address was found for ${url.hostname}. Is the name right?`);
  }
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(trouble ?? '')) {
    throw new Error(
      `The certificate of ${url.host} is not trusted (${trouble}), so the service would not deliver. ` +
        'For a private authority, name its file in NODE_EXTRA_CA_CERTS.',
    );
  }
  if (trouble !== undefined && trouble !== 'TIMEOUT') {
    throw new Error(`${url.href} gives no answer in HTTP: ${trouble}.`);
  }
  if (location !== undefined) {
    throw new Error(`${url.href} redirects to ${location}. Deliveries do not follow: test that URL.`);
  }
  if (status === 404 || status === 405) {
    throw new Error(`${url.href} answers ${method} with ${status}. Is the path right?`);
  }
}

/** A good delivery was not taken: tries others, and says what they show. */
async function whyNothingIsTaken(testRun: TestRun, { trouble }: Answer): Promise<string> {
  if (trouble === 'TIMEOUT') {
    return 'Answer each request, before the work: after 15 seconds an attempt has failed and is repeated.';
  }
  const takes = async (message: ReturnType<TestRun['delivery']>) => isTaken(await testRun.send(message));
  const isContract = testRun.scheme === 'contract';
  const other = isContract ? 'standard' : 'contract';
  if (await takes(testRun.without(testRun.scheme, testRun.delivery()))) {
    return `It goes by the other signature. Run it with --scheme ${other}.`;
  }
  if (await takes(testRun.delivery({ byOther: true }))) {
    return 'It takes the signature of another secret. Is the secret here the one of the receiver?';
  }
  return (
    'Is it the secret of this receiver, with its whsec_? Verify the raw bytes of the body, as they came, ' +
    'and not JSON that was parsed and written again.'
  );
}
