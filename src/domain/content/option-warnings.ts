import { endingCertificates } from '../notices/certificate-ends.js';
import type { JsonObject } from '../schema-rules/subschemas.js';
import { type TypesAt, typesAt } from '../schema-rules/types-at.js';
import { type JsonType, jsonTypeOf, typesInWords } from '../text/json-type.js';
import { conditionsIn, type EventFilter, type FieldCondition, type FilterOp, type PlacedCondition } from './filter.js';
import { namesOf, pathOf, TYPE_PATH } from './filter-path.js';
import { namesOfPlaceholder } from './placeholders.js';
import { missingFields } from './shape/missing-fields.js';
import type { ShapePlan } from './shape/project.js';

/**
 * Mistakes that options of a webhook may have, most by the schemas of its event types. Schemas grow: they are no
 * errors.
 */

/** The codes with their meaning. */
export const WARNING_CODES = {
  path_not_in_schema: 'no subscribed event type has the path in its schema',
  value_type_not_in_schema: 'a condition compares with a value of another type than the schemas have there',
  key_type_not_in_schema: 'the schemas have an object or a list where the ordering key should be',
  elements_may_differ: 'several conditions that look into one list may be met by different elements of it',
  shape_field_not_in_schema: 'the shape asks for a field that the schema no longer has',
  converter_missing: 'a payload is sent in a newer version than that of the release, because a converter is missing',
  placeholder_in_header: 'the value of a header has a placeholder, which is sent as it stands',
  signature_header_replaced: 'a header that the webhook sets is sent instead of one of its signature form',
  certificate_ending: 'a certificate ends within 14 days',
  certificate_ended: 'a certificate has ended',
} as const;

export interface OptionWarning {
  code: keyof typeof WARNING_CODES;
  /** A sentence. */
  message: string;
  /** In payloads; or the name of a header, or a part of `tls`. */
  path: string;
  /** The event type whose schema lacks the path. Null: all that the webhook gets. */
  eventType: string | null;
  /** The types that the schemas have at the path. Null: they have none. */
  types: readonly JsonType[] | null;
}

type Schemas = readonly JsonObject[];

/** @param schemas of the subscribed event types: valid ones, without recursion */
export const filterWarnings = (filter: EventFilter, schemas: Schemas): OptionWarning[] => [
  ...conditionsIn(filter).flatMap((placed) => conditionWarnings(placed, schemas)),
  ...listWarnings(filter, schemas),
];

/** The mistakes of one condition of a filter. */
export function conditionWarnings({ condition, lists }: PlacedCondition, schemas: Schemas): OptionWarning[] {
  const isType = condition.path === TYPE_PATH;
  const path = isType ? TYPE_PATH : [...lists, condition.path].join('.');
  const types = isType ? NAMES : typesAt(schemas, namesWithin(lists, condition.path), 'element');
  return types === 'none' ? [unknownPath(path)] : valueWarnings({ ...condition, path }, types);
}

/** Numbers in paths of placeholders count elements of lists. The state before has the fields of the payload. */
export const placeholderWarnings = (paths: readonly string[], schemas: Schemas): OptionWarning[] =>
  paths.flatMap((path) => {
    const names = (namesOfPlaceholder(path) ?? []).filter((name) => !/^\d+$/.test(name));
    return typesAt(schemas, names, 'element') === 'none' ? [unknownPath(path)] : [];
  });

/** @param path of the ordering key */
export function keyWarnings(path: string, schemas: Schemas): OptionWarning[] {
  const types = typesAt(schemas, namesOf(path)!, 'array');
  if (types === 'none') {
    return [unknownPath(path)];
  }
  if (types === 'any' || types.size === 0 || KEY_TYPES.some((type) => types.has(type))) {
    return [];
  }
  const message = `${isBySchemas(path, types)}, which is not a key: events without orderingKey are in no order.`;
  return [{ code: 'key_type_not_in_schema', message, path, eventType: null, types: [...types] }];
}

/** @param schema of the event type */
export const shapeWarnings = ({ types }: ShapePlan, eventType: string, schema: JsonObject): OptionWarning[] =>
  Object.hasOwn(types, eventType)
    ? missingFields(schema, types[eventType]!).map((path) => ({
        code: 'shape_field_not_in_schema',
        message: `The shape asks for ${path}, which ${eventType} no longer has.`,
        path,
        eventType,
        types: null,
      }))
    : [];

/** @param sent the version that payloads get as far as converters lead */
export const releaseWarning = (eventType: string, pinned: number, sent: number): OptionWarning => ({
  code: 'converter_missing',
  message: `${eventType} is sent in version ${sent}, not in version ${pinned} of the release: there is no converter from ${sent} to ${sent - 1}.`,
  path: 'release',
  eventType,
  types: null,
});

/** The value is not shown: it may be secret. */
export const headerWarning = (name: string): OptionWarning => ({
  code: 'placeholder_in_header',
  message: `The value of ${name} has a placeholder in braces, which is sent as it stands: only content is filled.`,
  path: name,
  eventType: null,
  types: null,
});

/** @param form the name of the signature form */
export const replacedWarning = (name: string, form: string): OptionWarning => ({
  code: 'signature_header_replaced',
  message: `The header ${name} that is set here is sent instead of the one of the signature form ${form}.`,
  path: name,
  eventType: null,
  types: null,
});

const CERTIFICATES = {
  CLIENT: { name: 'The client certificate', path: 'tls.clientCertificate' },
  CA: { name: 'The last certificate of the authorities', path: 'tls.ca' },
} as const;

/** Certificates of a webhook that end soon, or have ended. */
export const certificateWarnings = (tls: Parameters<typeof endingCertificates>[0], now: Date): OptionWarning[] =>
  endingCertificates(tls, now).map(({ certificate, endsAt, hasEnded }) => {
    const { name, path } = CERTIFICATES[certificate];
    return {
      code: hasEnded ? 'certificate_ended' : 'certificate_ending',
      message: `${name} ${hasEnded ? 'ended' : 'ends'} on ${endsAt.slice(0, 10)}. Replace it.`,
      path,
      eventType: null,
      types: null,
    };
  });

/** The type of `@type`. */
const NAMES: ReadonlySet<JsonType> = new Set(['string']);
const KEY_TYPES = ['string', 'number', 'boolean'] as const;

const namesWithin = (lists: readonly string[], path: string): string[] =>
  [...lists, path].flatMap((one) => namesOf(one)!);

/** Lists of which one element may meet one condition of a filter, and another element another one. */
export function listWarnings(filter: EventFilter, schemas: Schemas, within: readonly string[] = []): OptionWarning[] {
  const { all, any, not, element } = filter;
  if (element) {
    return listWarnings(element.match, schemas, [...within, element.path]);
  }
  const below = (all ?? any ?? (not ? [not] : [])).flatMap((one) => listWarnings(one, schemas, within));
  const fields = (all ?? []).flatMap(({ field }) => (field && ASKS_FOR_ONE.has(field.op) ? [field] : []));
  const pairs = fields.flatMap((one, index) => fields.slice(index + 1).map((other) => [one, other] as const));
  const lists = pairs.flatMap(([one, other]) => listOfBoth(one, other, schemas, within) ?? []);
  return [...new Set(lists)].map((path) => elementsMayDiffer([...within, path].join('.'))).concat(below);
}

/** Each is met by one element that is enough. */
const ASKS_FOR_ONE: ReadonlySet<FilterOp> = new Set<FilterOp>([
  ...(['EQ', 'GT', 'GE', 'LT', 'LE', 'IN', 'STARTS_WITH', 'CONTAINS'] as const),
]);
const ORDER: ReadonlySet<FilterOp> = new Set<FilterOp>(['GT', 'GE', 'LT', 'LE']);

/** The innermost list, by the schemas, on the way to both fields. Two texts of a list may both be asked for. */
function listOfBoth(one: FieldCondition, other: FieldCondition, schemas: Schemas, within: readonly string[]) {
  if (one.path === TYPE_PATH || other.path === TYPE_PATH) {
    return null;
  }
  const [names, others] = [namesOf(one.path)!, namesOf(other.path)!];
  const differsAt = names.findIndex((name, index) => name !== others[index]);
  const common = differsAt === -1 ? names : names.slice(0, differsAt);
  if (
    common.length === names.length &&
    common.length === others.length &&
    !(ORDER.has(one.op) && ORDER.has(other.op))
  ) {
    return null;
  }
  for (let length = common.length; length > 0; length -= 1) {
    const list = common.slice(0, length);
    const types = typesAt(schemas, [...within.flatMap((path) => namesOf(path)!), ...list], 'array');
    if (typeof types !== 'string' && types.has('array')) {
      return pathOf(list);
    }
  }
  return null;
}

const elementsMayDiffer = (path: string): OptionWarning => ({
  code: 'elements_may_differ',
  message: `Different elements of ${path} may meet these conditions. To ask for one element that meets them all, use element.`,
  path,
  eventType: null,
  types: null,
});

const unknownPath = (path: string): OptionWarning => ({
  code: 'path_not_in_schema',
  message: `No subscribed event type has ${path} in its schema.`,
  path,
  eventType: null,
  types: null,
});

/** @param types of the field */
function valueWarnings({ path, op, value }: FieldCondition, types: Exclude<TypesAt, 'none'>): OptionWarning[] {
  if (value === undefined || types === 'any' || types.size === 0) {
    return [];
  }
  const given = new Set([value].flat().map(jsonTypeOf));
  if (op === 'NE' || op === 'NOT_IN') {
    given.delete('null'); // every other value differs from null
  }
  const differsFromNull = (op === 'NE' || op === 'NOT_IN') && types.has('null');
  if (given.size === 0 || differsFromNull || [...given].some((type) => types.has(type))) {
    return [];
  }
  const message = `${isBySchemas(path, types)}: a comparison with ${typesInWords([...given])} never matches it.`;
  return [{ code: 'value_type_not_in_schema', message, path, eventType: null, types: [...types] }];
}

const isBySchemas = (path: string, types: ReadonlySet<JsonType>): string =>
  `${path} is ${typesInWords([...types])} in the schemas of the subscribed event types`;
