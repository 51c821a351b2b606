import { contentFrom } from '../../../domain/content/content.js';
import { conditionsIn } from '../../../domain/content/filter.js';
import {
  certificateWarnings,
  conditionWarnings,
  headerWarning,
  keyWarnings,
  listWarnings,
  type OptionWarning,
  placeholderWarnings,
  releaseWarning,
  replacedWarning,
  shapeWarnings,
} from '../../../domain/content/option-warnings.js';
import type { ShapePlan } from '../../../domain/content/shape/project.js';
import { placeholdersIn } from '../../../domain/content/template.js';
import { matches } from '../../../domain/events/event-type.js';
import { authHeaderName } from '../../../domain/fields/auth.js';
import { replacedIn } from '../../../domain/fields/form-headers.js';
import { withPlaceholders } from '../../../domain/fields/headers.js';
import { widthOf } from '../../../domain/schema-rules/schema-width.js';
import type { JsonObject } from '../../../domain/schema-rules/subschemas.js';
import type { Webhook } from '../../../entities/webhook.js';
import type { WebhookOptions } from '../../../entities/webhook-options.js';
import type { RegisteredEventType } from '../../../operations/event-types/event-type-registry.js';
import { piece } from '../../../platform/concurrency/in-pieces.js';
import type { Context } from '../../context/context.js';
import { optionsOf } from '../fields/options-of.js';
import { olderVersionsOf } from './sent-versions.js';

/** Finds possible mistakes in the options of a webhook, by their groups. */
export const optionWarnings = { delivery: deliveryWarnings, content: contentWarnings, ordering: orderingWarnings };

async function deliveryWarnings(webhook: Webhook, context: Context): Promise<OptionWarning[]> {
  const options: Partial<WebhookOptions> = (await optionsOf(webhook, context)) ?? {};
  const { headers, auth, compat = null, tls = null } = options;
  const own = [...Object.keys(headers ?? {}), ...(auth == null ? [] : [authHeaderName(auth)])];
  const form = compat === null ? undefined : context.config.delivery.signatureForms.get(compat);
  return [
    ...[...withPlaceholders(headers), ...(auth?.placeholder ? [authHeaderName(auth)] : [])].map(headerWarning),
    ...(form === undefined ? [] : replacedIn(form.planned, own).map((name) => replacedWarning(name, compat!))),
    ...(tls === null ? [] : certificateWarnings(tls, context.clock())),
  ];
}

/**
 * The places in schemas that are looked at for the content of one webhook: some 20 ms. The rest of a long template has
 * no warnings.
 */
const LOOKS_MAX = 40_000;
/** Characters of a schema that take as long to read as one look. */
const CHARS_A_LOOK = 25;

/** A piece of the search for mistakes. */
interface Piece {
  /** About as many places in schemas does it look at. */
  looks: number;
  find(): OptionWarning[];
}

async function contentWarnings(webhook: Webhook, context: Context): Promise<OptionWarning[]> {
  const warnings = new Map<string, OptionWarning>();
  let looksLeft = LOOKS_MAX;
  for (const { looks, find } of await piecesOf(webhook, context)) {
    looksLeft -= looks;
    if (looksLeft < 0) {
      break;
    }
    for (const warning of await piece(context.tenantId, find)) {
      warnings.set(warning.message, warning);
    }
  }
  const older = await olderVersionsOf(webhook, context);
  const missing = older.filter(({ pinned, sent }) => pinned !== sent);
  return [
    ...missing.map(({ eventType, pinned, sent }) => releaseWarning(eventType, pinned, sent)),
    ...warnings.values(),
  ];
}

async function piecesOf(webhook: Webhook, context: Context): Promise<Piece[]> {
  const options = (await optionsOf(webhook, context)) ?? {};
  // A new row has nothing where it was given nothing.
  const { filter = null, release = null, shape = null }: Partial<WebhookOptions> = options;
  const { format = null, text = null, template = null }: Partial<WebhookOptions> = options;
  const content = contentFrom({ release, shape, format, text, template });
  if (filter === null && content === null) {
    return [];
  }
  const subscribed = await typesOf(webhook, context);
  const plan = content?.shape ?? null;
  // Behind a shape placeholders stand for values of its result.
  const placeholders = content === null || plan !== null ? [] : placeholdersIn([content.text, content.template]);
  const emitted = emittedOf(subscribed);
  // Filters judge events as they are emitted, and what is sent has the versions of the release.
  const sent = await typesOf(webhook, context, release);
  const conditions = filter === null ? [] : conditionsIn(filter);
  return [
    ...ofEach(conditions, emitted, conditionWarnings),
    ...ofEach(filter === null ? [] : [filter], emitted, listWarnings, conditions.length),
    ...(plan === null ? [] : shapePieces(plan, sent)),
    ...ofEach([...new Set(placeholders)], sent, (path, schemas) => placeholderWarnings([path], schemas)),
  ];
}

/** @param paths that each item has */
function ofEach<Item>(
  items: readonly Item[],
  types: readonly RegisteredEventType[],
  find: (item: Item, schemas: readonly JsonObject[]) => OptionWarning[],
  paths = 1,
): Piece[] {
  if (items.length === 0) {
    return [];
  }
  const schemas = types.map((type) => knownSchemaOf(type));
  const looks = paths * schemas.reduce((sum, { width }) => sum + width, 0);
  const all = schemas.map(({ schema }) => schema);
  return items.map((item) => ({ looks, find: () => find(item, all) }));
}

async function orderingWarnings(webhook: Webhook, context: Context): Promise<OptionWarning[]> {
  const { by, keyPath }: Partial<WebhookOptions> = (await optionsOf(webhook, context)) ?? {};
  return by === 'KEY' && keyPath ? keyWarnings(keyPath, emittedOf(await typesOf(webhook, context)).map(schemaOf)) : [];
}

/** The event types that a webhook gets, in their current versions; with a release in those that are sent. */
async function typesOf({ eventTypes }: Webhook, context: Context, release: string | null = null) {
  const all = await context.releases.sentSchemas.of(release, await context.eventTypes.all());
  return all.filter(({ name }) => matches(eventTypes, name));
}

/** Events of the service itself are neither filtered nor ordered. */
const emittedOf = (types: readonly RegisteredEventType[]) => types.filter(({ reserved }) => !reserved);

const shapePieces = (plan: ShapePlan, subscribed: readonly RegisteredEventType[]): Piece[] =>
  subscribed.map((type) => ({
    looks: type.schema.length / CHARS_A_LOOK,
    find: () => shapeWarnings(plan, type.name, schemaOf(type)),
  }));

interface KnownSchema {
  schema: JsonObject;
  /** The most places that one path leads to. */
  width: number;
}

/** An event type is another object after each change. */
const schemas = new WeakMap<RegisteredEventType, KnownSchema>();

function knownSchemaOf(type: RegisteredEventType): KnownSchema {
  const known = schemas.get(type);
  if (known !== undefined) {
    return known;
  }
  const schema = JSON.parse(type.schema) as JsonObject;
  const made = { schema, width: widthOf(schema) };
  schemas.set(type, made);
  return made;
}

const schemaOf = (type: RegisteredEventType): JsonObject => knownSchemaOf(type).schema;
