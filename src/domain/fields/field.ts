import type { StoredShape } from '../content/shape/project.js';
import { snakeCase } from '../snake-case.js';
import { type StoredAuth, shownAuth } from './auth.js';
import { type StoredHeaders, shownHeaders } from './headers.js';
import type { ValueOfKind } from './value-of-kind.js';

/**
 * A field that people write, declared once. Columns, GraphQL, REST, OpenAPI, the audit log, the form of the dashboard
 * and what sending loads come from its declaration (CONTRIBUTING.md, "A field"). The dashboard reads it too.
 */
export type Field = Described &
  Member &
  (
    | Text
    | { kind: 'url' }
    | { kind: 'eventTypes' }
    | TextMap
    | Quantity
    | Delays
    | Choice
    | { kind: 'headers' }
    | { kind: 'auth' }
    | { kind: 'filter' }
    | { kind: 'message'; charsMax: number }
    | { kind: 'template' }
    | { kind: 'shape'; charsMax: number }
    | { kind: 'path'; refusedAs: string }
  );

/** The parts of a webhook's options that `ENDPOINT_OPTIONS` names. */
export const OPTION_PARTS = ['labels', 'pace', 'retry', 'headers', 'auth', 'content', 'ordering'] as const;

interface Described {
  /** In the schema of GraphQL, for readers. */
  description: string;
  /** The same for those who write it. */
  input: string;
  /** REST shows and takes it too, with this description: in the noun itself, or in its options (`optionsRow`). */
  rest?: string;
  /** The part of `ENDPOINT_OPTIONS` that it belongs to: an operator may keep tenants from writing it. */
  part?: (typeof OPTION_PARTS)[number];
  /** Stored in the options row (`webhook_options`), for what few webhooks have. */
  optionsRow?: true;
  /** The column, where the field's name alone would say too little. */
  column?: string;
}

interface Member {
  /** It may be left out of a new object, and null clears it. */
  optional?: true;
  /** The value that readers get while it is null. */
  default?: string | number | readonly string[] | Readonly<Record<string, string>>;
  /** The daemon loads it with each delivery. Not from an options row. */
  sent?: true;
  /** Written and never read: readers learn whether it is set. Only in a group. */
  secret?: true;
  /** While it is null, it is the tenant's value, or the installation's under this name. Only in a group. */
  inherited?: string;
}

export interface Text {
  kind: 'text';
  /** The most characters, without spaces at the ends. */
  charsMax: number;
  /** It may have several lines. */
  lines?: true;
}

/** Texts by keys that programs choose. */
export interface TextMap {
  kind: 'textMap';
  countMax: number;
  valueCharsMax: number;
}

/** A number within a range. */
export interface Quantity {
  kind: 'number';
  min: number;
  max: number;
  /** The operator's own maximum, by its name among the settings of deliveries. */
  maxOf?: MaxName;
  /** Only whole numbers. */
  whole?: true;
  /** The unit that a refusal names. */
  unit?: string;
  /** The code of a refusal. */
  refusedAs: string;
}

/** The settings that limit a number. */
export type MaxName = 'attemptTimeoutMsMax' | 'endpointConcurrencyMax';

/** Whole seconds, one after the other. */
export interface Delays {
  kind: 'delays';
  countMax: number;
  /** The longest delay; the shortest is 1. */
  secondsMax: number;
  totalSecondsMax: number;
  /** The codes of refusals. */
  refusedAs: { count: string; each: string; total: string };
}

/** One of some words. */
export interface Choice {
  kind: 'choice';
  /** The name of its enum in GraphQL, and the enum's description. */
  type: string;
  about: string;
  /** The meaning of each. */
  values: Readonly<Record<string, string>>;
}

export const TEXT_MAP_KEY = /^(?!__proto__$)[A-Za-z0-9_.-]{1,40}$/;

/** Fields that are changed one by one, under a name of their own. Their names are unique in the noun. */
export interface Group extends Described {
  kind: 'group';
  /** The name of its type in GraphQL. That of its input ends with `Input`. */
  type: string;
  /** The scope that writing its fields needs. */
  scope: 'webhooks:options' | 'platform:admin';
  /** The name of the enum of its fields, for `own` and `reset`; it has one if fields are inherited. */
  option?: string;
  /** Readers get `warnings` about its values, which the resolver of the noun finds. */
  warns?: true;
  fields: Readonly<Record<string, Field>>;
}

export type Fields = Readonly<Record<string, Field | Group>>;

type Kept<One extends Pick<Field, 'kind'>> = One extends { kind: 'choice'; values: infer Words }
  ? keyof Words & string
  : One['kind'] extends keyof ValueOfKind
    ? ValueOfKind[One['kind']]
    : string;
type Nullable = { optional: true } | { inherited: string };
type ValueOf<One extends Pick<Field, 'kind'>> = One extends Nullable ? Kept<One> | null : Kept<One>;

type Merged<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

/** The fields of a noun, those of its groups among them. */
type Flat<Table extends Fields> = Merged<
  {
    [Name in keyof Table]: Table[Name] extends { kind: 'group'; fields: infer Members; optionsRow: true }
      ? { [Inner in keyof Members]: Members[Inner] & { optionsRow: true } }
      : Table[Name] extends { kind: 'group'; fields: infer Members }
        ? Members
        : Pick<Table, Name>;
  }[keyof Table]
>;

type Values<All> = {
  -readonly [Name in keyof All]: All[Name] extends Pick<Field, 'kind'> ? ValueOf<All[Name]> : never;
};
type Sealed<All> = {
  -readonly [Name in keyof All]: All[Name] extends { secret: true }
    ? Uint8Array | null
    : All[Name] extends { kind: 'headers' }
      ? StoredHeaders | null
      : All[Name] extends { kind: 'auth' }
        ? StoredAuth | null
        : All[Name] extends Pick<Field, 'kind'>
          ? ValueOf<All[Name]>
          : never;
};
type InOptionsRow = { optionsRow: true };
type NamesWith<All, Mark> = { [Name in keyof All]: All[Name] extends Mark ? Name : never }[keyof All];

/** The values of a noun's fields, as people write them. */
export type ValuesOf<Table extends Fields> = Values<Flat<Table>>;

/** The fields in the noun's own row. */
export type RowOf<Table extends Fields> = Sealed<Omit<Flat<Table>, NamesWith<Flat<Table>, InOptionsRow>>>;

/** The fields in the options row. */
export type OptionsRowOf<Table extends Fields> = Sealed<Pick<Flat<Table>, NamesWith<Flat<Table>, InOptionsRow>>>;

type OptionalName<Table extends Fields> = NamesWith<Flat<Table>, Nullable> & keyof ValuesOf<Table>;

/** The values of a new object, which may leave out the optional ones. */
export type NewValuesOf<Table extends Fields> = Omit<ValuesOf<Table>, OptionalName<Table>> &
  Partial<Pick<ValuesOf<Table>, OptionalName<Table>>>;

export const isNullable = ({ optional, inherited }: Member): boolean => optional === true || inherited !== undefined;

/** The fields of a noun with those of its groups, and where they are stored. */
export const flat = (fields: Fields): [name: string, field: Field][] =>
  Object.entries(fields).flatMap(([name, field]): [string, Field][] =>
    field.kind !== 'group'
      ? [[name, field]]
      : Object.entries(field.fields).map(([inner, one]) => [inner, { ...one, optionsRow: field.optionsRow } as Field]),
  );

/** The values of groups and of other fields at one level, as they are stored. */
export const flatValues = (fields: Fields, values: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      fields[name]?.kind === 'group' ? Object.entries((value ?? {}) as object) : [[name, value]],
    ),
  );

type Row = Readonly<Record<string, unknown>>;

/**
 * The value that readers get of a field, or of a group with the names of the fields that the first row sets itself.
 *
 * @param rows the noun's, then its tenant's if that has values which are inherited
 * @param installation values by the names that `inherited` has
 */
export function valueInForce(
  name: string,
  field: Field | Group,
  rows: readonly (object | null)[],
  installation: object,
): unknown {
  if (field.kind === 'headers') {
    return shownHeaders((rows[0] as Row | null)?.[name] as StoredHeaders | null);
  }
  if (field.kind === 'auth') {
    return shownAuth((rows[0] as Row | null)?.[name] as StoredAuth | null);
  }
  if (field.kind === 'shape') {
    return ((rows[0] as Row | null)?.[name] as StoredShape | null)?.text ?? null;
  }
  if (field.kind !== 'group') {
    const inherited = field.inherited === undefined ? undefined : (installation as Row)[field.inherited];
    const own = (field.inherited === undefined ? rows.slice(0, 1) : rows).map((row) => (row as Row | null)?.[name]);
    return own.find((value) => value != null) ?? inherited ?? field.default ?? null;
  }
  const members = Object.entries(field.fields) as [string, Field][];
  const isSet = (inner: string) => (rows[0] as Row | null)?.[inner] != null;
  return {
    ...Object.fromEntries(
      members.map(([inner, one]) =>
        one.secret ? [setName(inner), isSet(inner)] : [inner, valueInForce(inner, one, rows, installation)],
      ),
    ),
    own: members
      .map(([inner]) => inner)
      .filter(isSet)
      .map(optionName),
  };
}

/** The names of a field in GraphQL's inputs: headers are set and removed one by one. */
export const inputNames = (name: string, { kind }: Pick<Field | Group, 'kind'>): readonly string[] =>
  kind === 'headers' ? ['set', 'remove'].map((verb) => `${verb}${name[0]!.toUpperCase()}${name.slice(1)}`) : [name];

/** Readers learn of a secret only whether there is one. */
export const setName = (secret: string): string => `${secret}Set`;

/** The value of the enum of a group's fields: `timeoutMs` is `TIMEOUT_MS`. */
export const optionName = (name: string): string => snakeCase(name).toUpperCase();
