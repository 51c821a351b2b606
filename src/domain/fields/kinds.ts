import type { StoredShape } from '../content/shape/project.js';
import { type StoredAuth, shownAuth, withAuthSecret } from './auth.js';
import { type AnyField, type Kind, type Members, type OfKind, optionName, shownName } from './field.js';
import { type StoredHeaders, shownHeaders, withHeaderSecrets } from './headers.js';
import type { Replace } from './held.js';

type Row = Readonly<Record<string, unknown>> | null;

/** The rows that a value is read from: the noun's, and its tenant's if that has values which are inherited. */
export interface Sources {
  rows: readonly Row[];
  /** Values by the names that `inherited` has. */
  installation: object;
}

/** The same value with other secrets. @param value in the form that is stored, which is never null */
type WithSecrets = (value: never, name: string, replace: Replace) => unknown;

/** A kind, for all layers. */
interface DomainKind<One extends AnyField> {
  /** The value that readers get. */
  shown(name: string, field: One, sources: Sources): unknown;
  /** The parts of such a value that readers select; none: it has no parts. */
  parts: readonly string[];
  /** Null: its values hold no secrets. */
  secretsIn(field: One): WithSecrets | null;
  /** The names in the inputs of GraphQL. */
  inputNames(name: string): readonly string[];
  /** It may be left out of a new object. */
  isNullable(field: One): boolean;
  /** The fields of a group; null: it is a value. */
  members(field: One): Members | null;
}

const value: DomainKind<AnyField> = {
  shown(name, field, { rows, installation }) {
    const inherited = field.inherited === undefined ? undefined : (installation as Row)![field.inherited];
    const own = (field.inherited === undefined ? rows.slice(0, 1) : rows).map((row) => row?.[name]);
    return own.find((one) => one != null) ?? inherited ?? field.default ?? null;
  },
  parts: [],
  secretsIn: () => null,
  inputNames: (name) => [name],
  isNullable: ({ optional, inherited }) => optional === true || inherited !== undefined,
  members: () => null,
};

const ownOf = (name: string, { rows }: Sources): unknown => rows[0]?.[name] ?? null;

/** A kind that lacks here, or in the table of another layer, does not compile (CONTRIBUTING.md, "A new kind"). */
export const domainKinds: { [One in Kind]: DomainKind<OfKind<One>> } = {
  text: {
    ...value,
    shown: (name, field, sources) => (field.secret ? ownOf(name, sources) !== null : value.shown(name, field, sources)),
    secretsIn: ({ secret }) => (secret ? (one, name, replace) => replace({ name, sealedAs: name, value: one }) : null),
  },
  url: value,
  eventTypes: value,
  textMap: value,
  number: value,
  delays: value,
  choice: value,
  headers: {
    ...value,
    shown: (name, _, sources) => shownHeaders(ownOf(name, sources) as StoredHeaders | null),
    parts: ['name', 'value', 'secret'],
    secretsIn: () => withHeaderSecrets,
    inputNames: (name) => ['set', 'remove'].map((verb) => `${verb}${name[0]!.toUpperCase()}${name.slice(1)}`),
  },
  auth: {
    ...value,
    shown: (name, _, sources) => shownAuth(ownOf(name, sources) as StoredAuth | null),
    parts: ['kind', 'username', 'header'],
    secretsIn: () => withAuthSecret,
  },
  filter: value,
  message: value,
  template: value,
  shape: { ...value, shown: (name, _, sources) => (ownOf(name, sources) as StoredShape | null)?.text ?? null },
  path: value,
  group: {
    ...value,
    /** With the names of the fields that the first row sets itself. */
    shown(_, { fields }, sources) {
      const members = Object.entries<AnyField>(fields);
      const isSet = ([name]: [string, unknown]) => ownOf(name, sources) !== null;
      return {
        ...Object.fromEntries(
          members.map(([name, field]) => [shownName(name, field), kindOf(field).shown(name, field, sources)]),
        ),
        own: members.filter(isSet).map(([name]) => optionName(name)),
      };
    },
    isNullable: () => true,
    members: ({ fields }) => fields,
  },
};

export const kindOf = ({ kind }: Pick<AnyField, 'kind'>): DomainKind<AnyField> => domainKinds[kind];
