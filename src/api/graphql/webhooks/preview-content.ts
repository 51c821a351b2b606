import 'reflect-metadata';
import { Arg, Ctx, Field, ID, InputType, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { type ContentEvent, contentFrom, contentOf } from '../../../domain/content/content.js';
import { type FailedCondition as Failed, FilteredEvent } from '../../../domain/content/judge-filter.js';
import { TEST_EVENT_TYPE, WILDCARD } from '../../../domain/events/event-type.js';
import type { ValuesOf } from '../../../domain/fields/field.js';
import { webhookFields } from '../../../domain/fields/webhook-fields.js';
import { dateToId } from '../../../domain/ids/delivery-id.js';
import { Event } from '../../../entities/event.js';
import { FailedCondition } from '../../../entities/event-filter.js';
import { Nullable } from '../../../entities/nullable.js';
import { JSONObject } from '../../../entities/scalars.js';
import { eventErased, notFound, refusedInput, requireNoIssues } from '../../../errors.js';
import { type JudgedEvent, previewFilter } from '../../../operations/explorer/preview-filter.js';
import { eventTypeNames } from '../../../operations/fields/kind-rules.js';
import { changedValues } from '../../../operations/fields/rules.js';
import { requireUsable } from '../../../operations/webhooks/content-settings.js';
import { piece } from '../../../platform/concurrency/in-pieces.js';
import { type Context, tenantOf } from '../../context/context.js';
import { payloadText } from '../emits/payload-text.js';
import { sizeIssues } from '../fields/connection.js';
import { PAYLOAD_COST } from '../fields/costs.js';
import { takenType } from '../fields/field-types.js';
import { idOf } from '../fields/ids.js';
import { parseInput } from '../fields/input.js';
import { optionsOf } from '../fields/options-of.js';
import { Requires } from '../fields/requires.js';
import { judgedContent } from './judged-content.js';
import { pinOf } from './pinned-release.js';
import { readWebhook } from './webhook.js';

const LAST_MAX = 1_000;
const LAST_DEFAULT = 100;

@InputType({
  description:
    'Content to try, and the events to try it with: the newest ones (`last`), one of the past (`eventId`) or one that was never emitted (`payload`).',
})
class PreviewContentInput {
  @Nullable(
    () => ID,
    'The webhook whose content and event types are tried, as far as this input has no others. Not needed for a webhook that is yet to be created, which has the release that it would be pinned to.',
  )
  webhookId?: string | null;

  @Nullable(
    takenType(webhookFields.content),
    "Content in place of the webhook's, as `updateWebhook` takes it: options that are left out stay as they are. Nothing is saved.",
  )
  content?: object | null;

  @Nullable(() => [String], 'Event types in place of the webhook\'s: names, or `["*"]`. Default: all.')
  eventTypes?: string[] | null;

  @Nullable(() => Int, `How many events: the newest ones of these types, 1 to ${LAST_MAX}; default ${LAST_DEFAULT}.`)
  last?: number | null;

  @Nullable(() => ID, 'One event of the past, of whatever type.')
  eventId?: string | null;

  @Nullable(() => JSONObject, 'A payload. The first of the event types is its type.')
  payload?: Record<string, unknown> | null;

  @Nullable(() => JSONObject, 'With `payload`: the state before the change.')
  previous?: Record<string, unknown> | null;
}

@ObjectType({ description: 'An event that content was tried with.' })
class ContentSample {
  @Nullable(() => Event, 'The event. Null for a payload of the input.')
  event!: Event | null;

  @Field(() => Boolean, { description: 'Whether the webhook would get it, as far as its filter decides.' })
  matches!: boolean;

  @Nullable(() => FailedCondition, 'The condition that it does not meet. Null when it matches.')
  failedCondition!: Failed | null;

  @Nullable(
    () => String,
    'The body that would be sent. Null when it does not match, or is larger than a payload may be or takes too many steps. Costs 100, because it is made for the answer.',
    { complexity: PAYLOAD_COST },
  )
  body!: string | null;

  @Nullable(
    () => JSONObject,
    'The headers that the content decides: `content-type`, and those of CloudEvents. Null when nothing would be sent.',
  )
  headers!: Record<string, string> | null;
}

@ObjectType({ description: 'What a webhook would get with some content.' })
class ContentPreview {
  @Field(() => Int, { description: 'Number of these events that the webhook would get.' })
  matched!: number;

  @Field(() => Int, {
    description: 'Number of events that were tried. Tests and operational events are not among them.',
  })
  total!: number;

  @Field(() => [ContentSample], {
    description: 'The newest of them, at most 5 that match and 5 that do not, newest first.',
  })
  samples!: ContentSample[];
}

/** The content to try. An option that is null is not set. */
interface Tried {
  content: Pick<ValuesOf<typeof webhookFields>, keyof (typeof webhookFields)['content']['fields']>;
  eventTypes: readonly string[];
}

@Resolver()
export class PreviewContentResolver {
  @Requires('events:read')
  @Query(() => ContentPreview, {
    nullable: true,
    complexity: lastOf as never,
    description:
      'Tries content on events without sending anything: which of them a webhook would get. The content need not be saved. Costs 1 for each event of `last`.',
  })
  async previewContent(
    @Arg('input', () => PreviewContentInput, { description: 'The content and the events.' }) input: PreviewContentInput,
    @Ctx() context: Context,
  ): Promise<ContentPreview> {
    const tried = await triedIn(context, input);
    const { filter } = tried.content;
    if (input.payload) {
      const body = payloadText(context, input.payload, ['input', 'payload']);
      const eventType = tried.eventTypes.find((name) => name !== WILDCARD) ?? TEST_EVENT_TYPE;
      const previous = input.previous ? payloadText(context, input.previous, ['input', 'previous']) : null;
      return await ofPayload(context, tried, { type: eventType, body, previous });
    }
    const events =
      typeof input.eventId === 'string'
        ? { id: idOf('Event', input.eventId, ['input', 'eventId']) }
        : { types: tried.eventTypes, last: input.last ?? LAST_DEFAULT };
    const tenantId = tenantOf(context);
    const { samples, ...counts } = await previewFilter(context, tenantId, { filter, events });
    if ('id' in events && counts.total === 0) {
      const event = await context.loaders.eventById.load(events.id);
      throw event === null ? notFound('event', events.id) : eventErased(`event ${events.id}`);
    }
    return { ...counts, samples: await Promise.all(samples.map((sample) => sampleOf(context, tried, sample))) };
  }
}

async function sampleOf(
  context: Context,
  tried: Tried,
  { matches, failedCondition, ...event }: JudgedEvent,
): Promise<ContentSample> {
  const { id, eventType: type, body, typeVersion, previous } = event;
  const tenantId = tenantOf(context);
  const sent = await sentOf(context, tried, matches, { id, tenantId, type, body, typeVersion, previous });
  return { event: Object.assign(new Event(), event, { tenantId }), matches, failedCondition, ...sent };
}

async function ofPayload(
  context: Context,
  tried: Tried,
  { type, body, previous = null }: Pick<ContentEvent, 'type' | 'body' | 'previous'>,
): Promise<ContentPreview> {
  const { filter } = tried.content;
  const tenantId = tenantOf(context);
  const judge = () => (filter === null ? null : new FilteredEvent(type, body, previous).failedCondition(filter));
  const failedCondition = await piece(tenantId, judge);
  const matches = failedCondition === null;
  const typeVersion = (await context.eventTypes.all()).find(({ name }) => name === type)?.version ?? null;
  const id = dateToId(context.clock());
  const sent = await sentOf(context, tried, matches, { id, tenantId, type, body, typeVersion, previous });
  return { matched: Number(matches), total: 1, samples: [{ event: null, matches, failedCondition, ...sent }] };
}

async function sentOf(
  { config, budget, conversions }: Context,
  { content }: Tried,
  matches: boolean,
  event: ContentEvent & { typeVersion: number | null },
): Promise<Pick<ContentSample, 'body' | 'headers'>> {
  const made = contentFrom(content);
  const plain = { body: event.body, headers: {} };
  const conversion = made === null ? null : await conversions.of(made.release, event);
  const make = () => (!matches ? null : made === null ? plain : contentOf({ ...event, conversion }, made, config));
  const sent = await piece(event.tenantId, make);
  return sent === null
    ? { body: null, headers: null }
    : { body: budget.spend(sent.body), headers: { 'content-type': 'application/json', ...sent.headers } };
}

/** @throws ApiError invalid_input; not_found for the webhook */
async function triedIn(context: Context, input: PreviewContentInput): Promise<Tried> {
  requireOneSource(input);
  const webhook =
    typeof input.webhookId === 'string' ? await readWebhook(context, input.webhookId, ['input', 'webhookId']) : null;
  const stored = webhook === null ? null : await optionsOf(webhook, context);
  // One that is yet to be created is pinned as it would be then.
  const pin = webhook === null ? await pinOf(context, input) : (stored?.release ?? null);
  const { known, input: judged } = await judgedContent(context, input, stored, pin);
  const eventTypes = parseInput(eventTypeNames(known.eventTypes).nullish(), input.eventTypes, ['input', 'eventTypes']);
  const { content } = webhookFields;
  const changed = parseInput(changedValues({ content }, known), { content: judged.content ?? null }, ['input']);
  const names = Object.keys(content.fields) as (keyof Tried['content'])[];
  const merged = Object.fromEntries(names.map((name) => [name, { ...stored, release: pin, ...changed }[name] ?? null]));
  requireUsable(merged as Tried['content'], changed);
  return {
    content: merged as Tried['content'],
    eventTypes: eventTypes ?? webhook?.eventTypes ?? [WILDCARD],
  };
}

function requireOneSource({ last, eventId, payload, previous }: PreviewContentInput): void {
  if (previous != null && payload == null) {
    throw refusedInput(['previous'], 'contradiction', 'stands with `payload` only');
  }
  requireNoIssues(sizeIssues('last', last ?? null, LAST_MAX).map((issue) => ({ ...issue, path: ['input', 'last'] })));
  if ([last, eventId, payload].filter((one) => one != null).length > 1) {
    const detail = 'must have at most one of `last`, `eventId` and `payload`';
    throw refusedInput([], 'contradiction', detail);
  }
}

/** @param estimated has the arguments of the query */
function lastOf({ args }: { args: { input?: PreviewContentInput } }): number {
  const { last, eventId, payload } = args.input ?? {};
  return eventId != null || payload != null ? 1 : Math.min(Math.max(last ?? LAST_DEFAULT, 1), LAST_MAX);
}
