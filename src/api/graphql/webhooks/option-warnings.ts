import { contentFrom } from '../../../domain/content/content.js';
import {
  filterWarnings,
  headerWarning,
  keyWarnings,
  type OptionWarning,
  placeholderWarnings,
  shapeWarnings,
} from '../../../domain/content/option-warnings.js';
import { placeholdersIn } from '../../../domain/content/template.js';
import { matches } from '../../../domain/events/event-type.js';
import { authHeaderName } from '../../../domain/fields/auth.js';
import { withPlaceholders } from '../../../domain/fields/headers.js';
import type { JsonObject } from '../../../domain/schema-rules/subschemas.js';
import type { Webhook } from '../../../entities/webhook.js';
import type { WebhookOptions } from '../../../entities/webhook-options.js';
import type { RegisteredEventType } from '../../../operations/event-types/event-type-registry.js';
import type { Context } from '../../context/context.js';
import { optionsOf } from '../fields/options-of.js';

/** Finds possible mistakes in the options of a webhook, by their groups. */
export const optionWarnings = { delivery: deliveryWarnings, content: contentWarnings, ordering: orderingWarnings };

async function deliveryWarnings(webhook: Webhook, context: Context): Promise<OptionWarning[]> {
  const { headers, auth }: Partial<WebhookOptions> = (await optionsOf(webhook, context)) ?? {};
  return [...withPlaceholders(headers), ...(auth?.placeholder ? [authHeaderName(auth)] : [])].map(headerWarning);
}

async function contentWarnings(webhook: Webhook, context: Context): Promise<OptionWarning[]> {
  const options = (await optionsOf(webhook, context)) ?? {};
  // A new row has nothing where it was given nothing.
  const { filter = null, shape = null, format = null, text = null, template = null }: Partial<WebhookOptions> = options;
  const content = contentFrom({ shape, format, text, template });
  if (filter === null && content === null) {
    return [];
  }
  const subscribed = await typesOf(webhook, context);
  const plan = content?.shape ?? null;
  // Behind a shape placeholders stand for values of its result.
  const placeholders = content === null || plan !== null ? [] : placeholdersIn([content.text, content.template]);
  return different([
    ...(filter === null ? [] : filterWarnings(filter, emittedOf(subscribed).map(schemaOf))),
    ...(plan === null ? [] : subscribed.flatMap((type) => shapeWarnings(plan, type.name, schemaOf(type)))),
    ...(placeholders.length === 0 ? [] : placeholderWarnings(placeholders, subscribed.map(schemaOf))),
  ]);
}

async function orderingWarnings(webhook: Webhook, context: Context): Promise<OptionWarning[]> {
  const { by, keyPath }: Partial<WebhookOptions> = (await optionsOf(webhook, context)) ?? {};
  return by === 'KEY' && keyPath ? keyWarnings(keyPath, emittedOf(await typesOf(webhook, context)).map(schemaOf)) : [];
}

const typesOf = async ({ eventTypes }: Webhook, context: Context): Promise<RegisteredEventType[]> =>
  (await context.eventTypes.all()).filter(({ name }) => matches(eventTypes, name));

/** Events of the service itself are neither filtered nor ordered. */
const emittedOf = (types: readonly RegisteredEventType[]) => types.filter(({ reserved }) => !reserved);

const different = (warnings: readonly OptionWarning[]): OptionWarning[] => [
  ...new Map(warnings.map((warning) => [warning.message, warning])).values(),
];

/** An event type is another object after each change. */
const schemas = new WeakMap<RegisteredEventType, JsonObject>();

function schemaOf(type: RegisteredEventType): JsonObject {
  const known = schemas.get(type) ?? (JSON.parse(type.schema) as JsonObject);
  schemas.set(type, known);
  return known;
}
