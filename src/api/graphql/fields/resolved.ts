import 'reflect-metadata';
import { Ctx, FieldResolver, Root } from 'type-graphql';
import { defaultsOfFormat } from '../../../domain/content/formats.js';
import type { OptionWarning } from '../../../domain/content/option-warnings.js';
import { type Fields, shownName } from '../../../domain/fields/field.js';
import { flat, valueInForce } from '../../../domain/fields/field-table.js';
import type { Context } from '../../context/context.js';
import { shownType } from './field-types.js';

/**
 * Gives the resolver of a noun its fields.
 *
 * @param readOptionsRow reads its options row, for the fields that are stored there
 * @param readDefaults reads the row from which some fields are inherited
 * @param warnings finds them, for each group that `warns`
 */
export const Resolved =
  <Noun extends object>(
    fields: Fields,
    readOptionsRow: (noun: Noun, context: Context) => Promise<object | null> = async () => null,
    readDefaults: (noun: Noun, context: Context) => Promise<object | null> = async () => null,
    warnings: Readonly<Record<string, (noun: Noun, context: Context) => Promise<OptionWarning[]>>> = {},
  ): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, field] of Object.entries(fields)) {
      const inherits = flat({ [name]: field }).some(([, { inherited }]) => inherited !== undefined);
      const valueIn = (context: Context, ...rows: (object | null)[]) =>
        valueInForce(name, field, rows, { ...context.config.deliveryDefaults, ...defaultsOfFormat(rows[0] ?? null) });
      const read = async (noun: Noun, context: Context) => {
        const own = field.optionsRow ? await readOptionsRow(noun, context) : noun;
        const value = valueIn(context, own, inherits ? await readDefaults(noun, context) : null);
        return field.warns ? withWarnings(noun, value as object, context) : value;
      };
      /** They are found only if they are selected. */
      const withWarnings = (noun: Noun, group: object, context: Context) =>
        Object.defineProperty(group, 'warnings', { get: () => warnings[name]!(noun, context) });
      const resolve = (noun: Noun, context: Context) =>
        field.optionsRow || inherits ? read(noun, context) : valueIn(context, noun);
      const shown = shownName(name, field);
      Object.defineProperty(prototype, shown, { value: resolve });
      FieldResolver(...shownType(field))(prototype as object, shown, { value: resolve });
      Root()(prototype as object, shown, 0);
      Ctx()(prototype as object, shown, 1);
    }
  };
