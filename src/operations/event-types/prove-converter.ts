import { Conversion } from '../../domain/content/conversion.js';
import type { Converter } from '../../domain/content/converter.js';
import { TooLarge } from '../../domain/content/work.js';
import { dateToId } from '../../domain/ids/delivery-id.js';
import { globalId } from '../../domain/ids/global-id.js';
import { samplePayload } from '../../domain/schema-rules/sample-payload.js';
import { type InputIssue, invalidInput, type Path } from '../../errors.js';
import { Slices } from '../../platform/concurrency/slices.js';
import { PLATFORM } from '../../platform/database/tenant-database.js';
import { compileEventSchema } from '../../platform/payload-checks/payload-check.js';
import type { SearchDeps } from '../explorer/search.js';
import { brokenRulesOf, type EventTypeVersionRow } from './event-type-registry.js';
import { findRefusedEvents, type RefusedEvent } from './refused-events.js';

/** Whether a converter makes payloads that the version before accepts, as far as there are payloads to try. */
export interface ConverterProof {
  /** The rules that the converted sample breaks. Their paths start with `payload`. Null: there is no sample. */
  sampleIssues: InputIssue[] | null;
  eventsLookedAt: number;
  /** Events that have the form of the version, and so were converted. */
  eventsJudged: number;
  /** Converted events that fit the version before. */
  eventsFit: number;
  /** Examples of others. */
  misfits: RefusedEvent[];
  /** False when the time was over before all events were looked at. */
  complete: boolean;
}

/** A version of an event type that exists, or is yet to be. */
interface ProvedVersion {
  eventType: string;
  converter: Converter;
  /** JSON Schemas as text: of the version, and of the one before. */
  schema: string;
  schemaBefore: string;
  /** The later versions, the newest first: payloads of today come down to the version by their converters. */
  later: readonly EventTypeVersionRow[];
}

const PROOF_MS_MAX = 10_000;
const DAY_MS = 86_400_000;

type ProofDeps = SearchDeps & { config: { payloadBytesMax: number }; clock: () => Date };

/**
 * Converts the sample of a version and the events of the last day, and checks them by the schema before. Events in
 * another form than that of the version are left out: they are never converted.
 *
 * @throws ApiError rate_limited when too many searches of this kind wait already
 */
export function proveConverter(
  { db, searches, config, clock }: ProofDeps,
  { eventType, converter, schema, schemaBefore, later }: ProvedVersion,
  msMax = PROOF_MS_MAX,
): Promise<ConverterProof> {
  const [check, checkBefore] = [compileEventSchema(schema), compileEventSchema(schemaBefore)];
  const conversion = new Conversion([converter]);
  const down = later.every((one) => one.converter !== null)
    ? new Conversion(later.map((one) => one.converter!))
    : new Conversion([]);
  const make = (how: Conversion, body: string) => madeBy(how, body, config.payloadBytesMax);
  const fits = (body: string): InputIssue[] => {
    const made = make(conversion, body);
    return made === null ? [TOO_LARGE] : brokenRulesOf(checkBefore, JSON.parse(made));
  };
  const hasForm = (payload: unknown) => brokenRulesOf(check, payload).length === 0;
  const judge = async (payload: unknown, body: string) => {
    if (hasForm(payload)) {
      return fits(body);
    }
    const own = later.length === 0 ? null : make(down, body);
    return own !== null && hasForm(JSON.parse(own)) ? fits(own) : null;
  };
  const sample = samplePayload(JSON.parse(schema) as Record<string, unknown>, check);
  return searches.run(PLATFORM, async () => {
    const sinceId = dateToId(new Date(clock().getTime() - DAY_MS));
    const found = await findRefusedEvents(db, eventType, judge, new Slices(msMax), sinceId);
    return {
      sampleIssues: sample === null ? null : fits(JSON.stringify(sample)),
      eventsLookedAt: found.eventsLookedAt,
      eventsJudged: found.eventsJudged,
      eventsFit: found.eventsJudged - found.eventsRefused,
      misfits: found.refusedEvents,
      complete: found.complete,
    };
  });
}

const TOO_LARGE: InputIssue = { path: ['payload'], code: 'too_large', detail: 'grows to more than may be sent' };

function madeBy(conversion: Conversion, body: string, growthMax: number): string | null {
  try {
    return conversion.of(body, growthMax);
  } catch (error) {
    if (error instanceof TooLarge) {
      return null;
    }
    throw error;
  }
}

export const isProved = ({ sampleIssues, eventsFit, eventsJudged }: ConverterProof): boolean =>
  eventsFit === eventsJudged && (sampleIssues ?? []).length === 0;

/** @throws ApiError invalid_input that lists what does not fit */
export function requireProved(proof: ConverterProof, path: Path): void {
  if (isProved(proof)) {
    return;
  }
  const issue = (detail: string): InputIssue => ({ path, code: 'converter_does_not_fit', detail });
  const { sampleIssues, eventsFit, eventsJudged, misfits } = proof;
  const refused = [
    ...((sampleIssues ?? []).length > 0 ? ['the sample'] : []),
    ...(eventsFit < eventsJudged ? [`${eventsJudged - eventsFit} of ${eventsJudged} events of the last day`] : []),
  ];
  throw invalidInput([
    issue(`does not fit: the version before refuses what it makes of ${refused.join(' and of ')}`),
    ...(sampleIssues ?? []).slice(0, SHOWN_MAX).map((one) => issue(`makes of the sample: ${sentenceOf(one)}`)),
    ...misfits.map(({ eventId, tenantId, issues }) =>
      issue(
        `makes of ${globalId('Event', eventId)} of ${globalId('Tenant', tenantId)}: ${issues.slice(0, SHOWN_MAX).map(sentenceOf).join('; ')}`,
      ),
    ),
  ]);
}

const SHOWN_MAX = 5;

const sentenceOf = ({ path, detail }: InputIssue): string => `${path.join('.')} ${detail}`;
