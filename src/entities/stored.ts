import { ArrayType, type PropertyOptions } from '@mikro-orm/core';
import { Property } from '@mikro-orm/decorators/legacy';
import type { Field, Fields, Kind, OfKind } from '../domain/fields/field.js';
import { flat, isNullable } from '../domain/fields/field-table.js';

type Column = PropertyOptions<object>;

const text = () => ({ type: 'text' });
const jsonb = () => ({ type: 'json', columnType: 'jsonb' });
/** Not jsonb, which cannot have every name of a payload. */
const json = () => ({ type: 'json', columnType: 'json' });

/** The column of a kind, but for its name and null. A group has those of its fields. */
const columns: { [One in Exclude<Kind, 'group'>]: (field: OfKind<One>) => Column } = {
  text: ({ secret }) => (secret ? { type: 'blob', hidden: true } : text()),
  url: text,
  eventTypes: () => ({ type: 'string[]', columnType: 'text[]' }),
  textMap: jsonb,
  number: ({ whole }) => ({ type: whole ? 'integer' : 'double' }),
  delays: () => ({ type: new ArrayType(Number), columnType: 'integer[]' }),
  choice: text,
  boolean: () => ({ type: 'boolean' }),
  headers: jsonb,
  auth: jsonb,
  tls: jsonb,
  filter: jsonb,
  message: text,
  template: json,
  shape: json,
  path: text,
};
const columnOf = (field: Field): Column => (columns[field.kind] as (field: Field) => Column)(field);

/** Gives an entity the columns of the fields that its row has: the noun's own, or its options row. */
export const Stored =
  (fields: Fields, row: 'own' | 'options' = 'own'): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, field] of flat(fields).filter(
      ([, { optionsRow }]) => (optionsRow === true) === (row === 'options'),
    )) {
      const named = field.column === undefined ? {} : { fieldName: field.column };
      Property<object>({ ...columnOf(field), ...named, nullable: isNullable(field) })(prototype as object, name);
    }
  };
