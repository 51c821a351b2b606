import type { JsonObject } from '../schema-rules/subschemas.js';
import { typesInWords } from '../text/json-type.js';
import { type ContentSettings, contentFrom } from './content.js';
import type { EventFilter } from './filter.js';
import {
  filterWarnings,
  keyWarnings,
  type OptionWarning,
  placeholderWarnings,
  shapeWarnings,
} from './option-warnings.js';
import { placeholdersIn } from './template.js';

/** The options of a webhook that name paths of payloads. */
export interface OptionsWithPaths extends ContentSettings {
  filter: EventFilter | null;
  /** The path of the ordering key; null: another order, or none. */
  keyPath: string | null;
}

/** The options with their meaning. */
export const OPTIONS_WITH_PATHS = {
  FILTER: 'A condition of `content.filter`.',
  SHAPE: 'A field of `content.shape`.',
  TEXT: 'A placeholder in `content.text`.',
  TEMPLATE: 'A placeholder in `content.template`.',
  ORDERING_KEY: 'The `ordering.keyPath`.',
} as const;

/** A path in an option that the old schema of an event type suits, and the new one does not. */
export interface BrokenPath extends Pick<OptionWarning, 'code' | 'path' | 'types'> {
  option: keyof typeof OPTIONS_WITH_PATHS;
  /** A sentence about the new schema. */
  message: string;
}

/** Two schemas of an event type: valid ones, without recursion. */
export interface SchemaChange {
  eventType: string;
  before: JsonObject;
  after: JsonObject;
}

/**
 * Finds what a new schema breaks for a webhook that gets events of the type. Schemas of its other types do not count:
 * for these events the path is gone.
 *
 * @param change of events as they are emitted, which filters and ordering keys see
 * @param sent the change of what the webhook is sent, which the others see; null: that stays as it is
 * @returns in small pieces of work: an empty list after each that has found nothing
 */
export function* brokenPaths(
  options: OptionsWithPaths,
  change: SchemaChange,
  sent: SchemaChange | null = change,
): Generator<BrokenPath[]> {
  const { filter, keyPath } = options;
  if (filter !== null) {
    yield brokenIn(change, 'FILTER', (schema) => filterWarnings(filter, [schema]));
  }
  if (keyPath !== null) {
    yield brokenIn(change, 'ORDERING_KEY', (schema) => keyWarnings(keyPath, [schema]));
  }
  if (sent === null) {
    return;
  }
  const { shape = null, text = null, template = null } = contentFrom(options) ?? {};
  if (shape !== null) {
    yield brokenIn(sent, 'SHAPE', (schema) => shapeWarnings(shape, sent.eventType, schema));
    return; // placeholders stand for values of its result
  }
  for (const [option, tree] of [['TEXT', text] as const, ['TEMPLATE', template] as const]) {
    for (const path of new Set(placeholdersIn(tree))) {
      yield brokenIn(sent, option, (schema) => placeholderWarnings([path], [schema]));
    }
  }
}

const brokenIn = (
  { before, after }: SchemaChange,
  option: BrokenPath['option'],
  judge: (schema: JsonObject) => OptionWarning[],
): BrokenPath[] => newOnes(judge(before), judge(after)).map((warning) => brokenPath(option, warning));

/** Each once: conditions may repeat a path. */
function newOnes(before: readonly OptionWarning[], after: readonly OptionWarning[]): OptionWarning[] {
  const known = new Set(before.map(({ message }) => message));
  return [...new Map(after.map((one) => [one.message, one])).values()].filter(({ message }) => !known.has(message));
}

function brokenPath(option: BrokenPath['option'], { code, path, types }: OptionWarning): BrokenPath {
  return { option, code, path, types, message: messageOf(code, path, typesInWords(types ?? [])) };
}

function messageOf(code: OptionWarning['code'], path: string, types: string): string {
  switch (code) {
    case 'value_type_not_in_schema':
      return `${path} is ${types} in the new schema: the condition never matches it.`;
    case 'key_type_not_in_schema':
      return `${path} is ${types} in the new schema, which is not a key.`;
    default:
      return `The new schema does not have ${path}.`;
  }
}
