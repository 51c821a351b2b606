import { z } from 'zod';
import type { Field, Kind, Members } from '../../../../domain/fields/field.js';
import { inputNames } from '../../../../domain/fields/field-table.js';
import { CLIENT_AUTHS, type ClientAuth } from '../../../../domain/fields/oauth2.js';

/**
 * The options of a webhook as a line has them: each field under its own name, in the form of its kind. They come from
 * the table of fields, so that a new field is brought along without a line of its own.
 */

const CLIENT_AUTH_NAMES = Object.keys(CLIENT_AUTHS) as ClientAuth[];
const auth = z.strictObject({
  basic: z.strictObject({ username: z.string(), password: z.string() }).optional(),
  bearer: z.string().optional(),
  apiKey: z.strictObject({ header: z.string(), value: z.string() }).optional(),
  oauth2: z
    .strictObject({
      tokenUrl: z.string(),
      clientId: z.string(),
      clientSecret: z.string(),
      scope: z.string().nullish(),
      audience: z.string().nullish(),
      clientAuth: z.enum(CLIENT_AUTH_NAMES).nullish(),
    })
    .optional(),
});
const tls = z.strictObject({
  caPem: z.string().nullish(),
  clientCertificatePem: z.string().nullish(),
  clientKeyPem: z.string().nullish(),
});
const headers = z.record(z.string(), z.strictObject({ value: z.string(), secret: z.boolean().default(true) }));
const json = z.record(z.string(), z.unknown());
const tree = z.union([json, z.array(z.unknown())], { error: 'must be an object or a list' });

/** A kind, as a line has it. */
export interface LineKind {
  form(field: Field): z.ZodType;
  /** The values of a column of the reader `sql`. */
  column: 'text' | 'number' | 'numbers' | 'words' | 'boolean' | 'json';
  /** The value in the form of GraphQL's input. */
  toInput(value: never): unknown;
  /** An empty value is one, too. By default it says nothing. */
  emptySays?: true;
}

const plain = { toInput: (value: unknown) => value };
const text = { ...plain, form: () => z.string(), column: 'text' as const };
const object = { ...plain, column: 'json' as const };

/** A kind that lacks here does not compile (CONTRIBUTING.md, "A new kind"). */
const lineKinds = {
  text,
  url: text,
  message: text,
  shape: text,
  path: text,
  choice: { ...text, form: (field: Field) => z.enum('values' in field ? Object.keys(field.values) : []) },
  number: { ...plain, form: () => z.number(), column: 'number' },
  boolean: { ...plain, form: () => z.boolean(), column: 'boolean' },
  /** None means one attempt. */
  delays: { ...plain, form: () => z.array(z.number()), column: 'numbers', emptySays: true },
  eventTypes: { ...plain, form: () => z.array(z.string()), column: 'words' },
  textMap: { ...object, form: () => z.record(z.string(), z.string()) },
  headers: {
    ...object,
    form: () => headers,
    toInput: (value: z.infer<typeof headers>) => Object.entries(value).map(([name, one]) => ({ name, ...one })),
  },
  auth: { ...object, form: () => auth },
  tls: { ...object, form: () => tls, toInput: (value: object) => withoutSilence(value) },
  filter: { ...object, form: () => json },
  template: { ...object, form: () => tree },
} satisfies Record<Exclude<Kind, 'group'>, LineKind>;

export const lineKindOf = ({ kind }: Pick<Field, 'kind'>): LineKind => lineKinds[kind];

type FormOf<One extends Field> = ReturnType<(typeof lineKinds)[One['kind']]['form']>;

/** The forms of fields that a line may leave out. */
export const formsOf = <Table extends Members>(fields: Table) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, lineKindOf(field).form(field).nullish()]),
  ) as {
    [Name in keyof Table]: z.ZodOptional<z.ZodNullable<FormOf<Table[Name]>>>;
  };

/** A value of a line, unless it says nothing. */
const said = (value: unknown): boolean =>
  value != null && value !== '' && !(typeof value === 'object' && Object.keys(value).length === 0);

export const withoutSilence = (values: object) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => said(value)));

/** The inputs of those fields of a group that a line says something about. */
export const inputsOf = (fields: Members, values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const { toInput, emptySays } = lineKindOf(field);
      const input = values[name] == null ? null : toInput(values[name] as never);
      return said(input) || (emptySays && input !== null) ? [[inputNames(name, field)[0]!, input]] : [];
    }),
  );
