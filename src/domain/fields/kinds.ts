import { CHANGES_SKILL } from '../content/changes.js';
import { textsAskFormer } from '../content/placeholders.js';
import { type StoredShape, shapeAsksFormer } from '../content/shape/project.js';
import { type AuthInput, type StoredAuth, shownAuth, withAuthSecret } from './auth.js';
import { type AnyField, type Kind, type Members, type OfKind, optionName, shownName } from './field.js';
import { type StoredHeaders, shownHeaders, withHeaderSecrets } from './headers.js';
import type { Replace } from './held.js';
import { CLIENT_PARTS, OAUTH2_SKILL } from './oauth2.js';
import { type StoredTls, shownTls, withTlsKey } from './tls.js';

export type Row = Readonly<Record<string, unknown>> | null;

/** The same value with other secrets. @param value in the form that is stored, which is never null */
type WithSecrets = (value: never, name: string, replace: Replace) => unknown;

/** A kind, for all layers. */
interface DomainKind<One extends AnyField> {
  /**
   * The value that readers get.
   *
   * @param rows the noun's, then its tenant's if that has values which are inherited
   * @param installation values by the names that `inherited` has
   */
  shown(name: string, field: One, rows: readonly Row[], installation: object): unknown;
  /** The parts of such a value, as readers select them; none: it has no parts. */
  parts: readonly string[];
  /** Null: its values hold no secrets. */
  secretsIn(field: One): WithSecrets | null;
  /** The names in the inputs of GraphQL. */
  inputNames(name: string): readonly string[];
  /** The fields of a group; null: it is a value. */
  members(field: One): Members | null;
  /** The skill that daemons need for a value, besides its field. @param written is never null */
  skill(written: never): Skill | null;
}

/** The name by which daemons report that they know something, and the version from which on they do. */
export interface Skill {
  name: string;
  since: string;
}

const value: DomainKind<AnyField> = {
  shown(name, field, rows, installation) {
    const inherited = field.inherited === undefined ? undefined : (installation as Row)![field.inherited];
    const own = (field.inherited === undefined ? rows.slice(0, 1) : rows).map((row) => row?.[name]);
    return own.find((one) => one != null) ?? inherited ?? field.default ?? null;
  },
  parts: [],
  secretsIn: () => null,
  inputNames: (name) => [name],
  members: () => null,
  skill: () => null,
};

const ownOf = (name: string, [row]: readonly Row[]): unknown => row?.[name] ?? null;

const skillOfTexts = (tree: unknown): Skill | null => (textsAskFormer(tree) ? CHANGES_SKILL : null);

/** A kind that lacks here, or in the table of another layer, does not compile (CONTRIBUTING.md, "A new kind"). */
export const domainKinds: { [One in Kind]: DomainKind<OfKind<One>> } = {
  text: {
    ...value,
    shown: (name, field, rows, installation) =>
      field.secret ? ownOf(name, rows) !== null : value.shown(name, field, rows, installation),
    secretsIn: ({ secret }) => (secret ? (one, name, replace) => replace({ name, sealedAs: name, value: one }) : null),
  },
  url: value,
  eventTypes: value,
  textMap: value,
  number: value,
  delays: value,
  choice: value,
  boolean: value,
  headers: {
    ...value,
    shown: (name, _, rows) => shownHeaders(ownOf(name, rows) as StoredHeaders | null),
    parts: ['name', 'value', 'secret'],
    secretsIn: () => withHeaderSecrets,
    inputNames: (name) => ['set', 'remove'].map((verb) => `${verb}${name[0]!.toUpperCase()}${name.slice(1)}`),
  },
  auth: {
    ...value,
    shown(name, _, rows) {
      const auth = shownAuth(ownOf(name, rows) as StoredAuth | null);
      // Not one of its values, but what is read of it elsewhere needs to know.
      return auth && Object.defineProperty(auth, 'webhookId', { value: rows[0]!['webhookId'] });
    },
    parts: ['kind', 'username', 'header', ...CLIENT_PARTS, 'lastFailure { at code detail }'],
    secretsIn: () => withAuthSecret,
    skill: ({ oauth2 }: AuthInput) => (oauth2 ? OAUTH2_SKILL : null),
  },
  tls: {
    ...value,
    shown: (name, _, rows) => shownTls(ownOf(name, rows) as StoredTls | null),
    parts: ['ca { subjects endsAt }', 'clientCertificate { subject issuer serial fingerprint endsAt }'],
    secretsIn: () => withTlsKey,
  },
  filter: value,
  message: { ...value, skill: skillOfTexts },
  template: { ...value, skill: skillOfTexts },
  shape: {
    ...value,
    skill: ({ plan }: StoredShape) => (shapeAsksFormer(plan) ? CHANGES_SKILL : null),
    shown: (name, _, rows) => (ownOf(name, rows) as StoredShape | null)?.text ?? null,
  },
  path: value,
  group: {
    ...value,
    /** With the names of the fields that the first row sets itself. */
    shown(_, { fields }, rows, installation) {
      const members = Object.entries<AnyField>(fields);
      const isSet = ([name]: [string, unknown]) => ownOf(name, rows) !== null;
      return {
        ...Object.fromEntries(
          members.map(([name, field]) => [
            shownName(name, field),
            kindOf(field).shown(name, field, rows, installation),
          ]),
        ),
        own: members.filter(isSet).map(([name]) => optionName(name)),
      };
    },
    members: ({ fields }) => fields,
  },
};

export const kindOf = ({ kind }: Pick<AnyField, 'kind'>): DomainKind<AnyField> => domainKinds[kind];
