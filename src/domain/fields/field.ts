import { snakeCase } from '../text/snake-case.js';
import type { StoredOfKind, ValueOfKind } from './value-of-kind.js';

/**
 * A field that people write, declared once. Columns, GraphQL, REST, OpenAPI, the audit log, the form of the dashboard
 * and what sending loads come from its declaration (CONTRIBUTING.md, "A field"). The dashboard reads it too.
 */
export type Field = Described & Member & OneKind;

type OneKind =
  | Text
  | ({ secret?: never; identifies?: never } & (
      | { kind: 'url' }
      | { kind: 'eventTypes' }
      | TextMap
      | Quantity
      | Delays
      | Choice
      | { kind: 'boolean' }
      | { kind: 'headers' }
      | { kind: 'auth' }
      | { kind: 'tls' }
      | { kind: 'filter' }
      | { kind: 'message'; charsMax: number }
      | { kind: 'template' }
      | { kind: 'shape'; charsMax: number }
      | { kind: 'path'; refusedAs: string }
    ));

/** An entry of a table. A group is a kind, too: each layer says what it does with one. */
export type AnyField = Field | Group;
export type Kind = AnyField['kind'];
export type OfKind<One extends Kind> = Extract<AnyField, { kind: One }>;

/** The parts of a webhook's options that `ENDPOINT_OPTIONS` names. */
export const OPTION_PARTS = [
  'labels',
  'pace',
  'retry',
  'headers',
  'auth',
  'tls',
  'content',
  'ordering',
  'signatures',
] as const;

interface Described {
  /** In the schema of GraphQL, for readers. */
  description: string;
  /** The same for those who write it. */
  input: string;
  /** REST shows and takes it too, with this description: in the noun itself, or in its options (`optionsRow`). */
  rest?: string;
  /** The part of `ENDPOINT_OPTIONS` that it belongs to, or a group's fields: tenants may be kept from writing it. */
  part?: (typeof OPTION_PARTS)[number];
  /** Stored in the options row (`webhook_options`), for what few webhooks have. */
  optionsRow?: true;
  /** The column, where the field's name alone would say too little. */
  column?: string;
  /** Only platform keys may set it. Others may remove it. */
  setBy?: 'platform';
  /** The version from which daemons know it: it is not set while an older one runs. */
  since?: string;
}

interface Member {
  /** It may be left out of a new object, and null clears it. */
  optional?: true;
  /** The value that readers get while it is null. */
  default?: string | number | boolean | readonly string[] | Readonly<Record<string, string>>;
  /** The daemon loads it with each delivery. Not from an options row. */
  sent?: true;
  /** While it is null, it is the tenant's value, or the installation's under this name. Only in a group. */
  inherited?: string;
  scope?: never;
  option?: never;
  warns?: never;
}

export interface Text {
  kind: 'text';
  /** Written and never read: readers learn whether it is set. Only in an options row. */
  secret?: true;
  /** The most characters, without spaces at the ends. */
  charsMax: number;
  /** It may have several lines. */
  lines?: true;
  /** An external id: unique, and once it is set, only platform keys change it (src/domain/ids/external-id.ts). */
  identifies?: true;
  /** It is one of these names that the installation has. */
  among?: NamesKnown;
}

/** Names that an installation has. */
export type NamesKnown = 'signatureForms' | 'releases';

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

type InOptionsRow = { optionsRow: true };
type Open = { secret?: never };

/** Fields that are changed one by one, under a name of their own. Their names are unique in the noun. */
export type Group = GroupFacts &
  (({ fields: Members } & InOptionsRow) | { fields: Readonly<Record<string, Field & Open>> });
export type Members = Readonly<Record<string, Field>>;

interface GroupFacts extends Described, Open {
  kind: 'group';
  optional?: never;
  default?: never;
  inherited?: never;
  sent?: never;
  identifies?: never;
  /** The name of its type in GraphQL. That of its input ends with `Input`. */
  type: string;
  /** The scope that writing its fields needs. */
  scope: 'webhooks:options' | 'platform:admin';
  /** The name of the enum of its fields, for `own` and `reset`; it has one if fields are inherited. */
  option?: string;
  /** Readers get `warnings` about its values, which the resolver of the noun finds. */
  warns?: true;
}

export type Fields = Readonly<Record<string, AnyField & (Open | InOptionsRow)>>;

type Written<One extends Pick<Field, 'kind'>> = One extends { kind: 'choice'; values: infer Words }
  ? keyof Words & string
  : ValueOfKind[One['kind']];
type Nullable = { optional: true } | { inherited: string };
type ValueOf<One extends Pick<Field, 'kind'>> = One extends Nullable ? Written<One> | null : Written<One>;

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
type Stored<All> = {
  -readonly [Name in keyof All]: All[Name] extends { secret: true }
    ? Uint8Array | null
    : All[Name] extends { kind: infer Kind extends keyof StoredOfKind }
      ? StoredOfKind[Kind] | null
      : All[Name] extends Pick<Field, 'kind'>
        ? ValueOf<All[Name]>
        : never;
};
type NamesWith<All, Mark> = { [Name in keyof All]: All[Name] extends Mark ? Name : never }[keyof All];

/** The values of a noun's fields, as people write them. */
export type ValuesOf<Table extends Fields> = Values<Flat<Table>>;

/** The fields in the noun's own row. */
export type RowOf<Table extends Fields> = Stored<Omit<Flat<Table>, NamesWith<Flat<Table>, InOptionsRow>>>;

/** The fields in the options row. */
export type OptionsRowOf<Table extends Fields> = Stored<Pick<Flat<Table>, NamesWith<Flat<Table>, InOptionsRow>>>;

type OptionalName<Table extends Fields> = NamesWith<Flat<Table>, Nullable> & keyof ValuesOf<Table>;

/** The values of a new object, which may leave out the optional ones. */
export type NewValuesOf<Table extends Fields> = Omit<ValuesOf<Table>, OptionalName<Table>> &
  Partial<Pick<ValuesOf<Table>, OptionalName<Table>>>;

/** The name that readers get: of a secret they learn only whether there is one. */
export const shownName = (name: string, { secret }: Pick<AnyField, 'secret'>): string => (secret ? `${name}Set` : name);

/** The value of the enum of a group's fields: `timeoutMs` is `TIMEOUT_MS`. */
export const optionName = (name: string): string => snakeCase(name).toUpperCase();
