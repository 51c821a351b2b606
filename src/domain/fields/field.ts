/**
 * A field that people write, declared once. Columns, GraphQL, REST, OpenAPI, the audit log, the form of the dashboard
 * and what sending loads come from its declaration (CONTRIBUTING.md, "A field"). It imports nothing: the dashboard
 * reads it too.
 */
export type Field = Described & (Text | { kind: 'url' } | { kind: 'eventTypes' });

interface Described {
  /** In the schema of GraphQL, for readers. */
  description: string;
  /** The same for those who write it. */
  input: string;
  /** It may be left out of a new object, and null clears it. */
  optional?: true;
  /** REST shows and takes it too, with this description. */
  rest?: string;
  /** The daemon needs it to send. */
  sent?: true;
}

export interface Text {
  kind: 'text';
  /** The most characters, without spaces at the ends. */
  charsMax: number;
  /** It may have several lines. */
  lines?: true;
}

export type Fields = Readonly<Record<string, Field>>;

type Kept<One extends Field> = One['kind'] extends 'eventTypes' ? string[] : string;

/** The values of a noun's fields, as they are stored. */
export type ValuesOf<Table extends Fields> = {
  -readonly [Name in keyof Table]: Table[Name] extends { optional: true }
    ? Kept<Table[Name]> | null
    : Kept<Table[Name]>;
};

type OptionalName<Table extends Fields> = {
  [Name in keyof Table]: Table[Name] extends { optional: true } ? Name : never;
}[keyof Table];

/** The values of a new object, which may leave out the optional ones. */
export type NewValuesOf<Table extends Fields> = Omit<ValuesOf<Table>, OptionalName<Table>> &
  Partial<Pick<ValuesOf<Table>, OptionalName<Table>>>;
