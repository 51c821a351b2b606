import { Field, InputType, ObjectType } from 'type-graphql';
import { CONVERTER_OPS, type ConverterOp as Op, STEPS_MAX, VALUE_CHARS_MAX } from '../domain/content/converter.js';
import { graphqlEnum } from './graphql-enum.js';
import { Nullable } from './nullable.js';
import { JSONValue } from './scalars.js';

const ConverterOp = graphqlEnum(
  'ConverterOp',
  'What a step of a converter does. Where a field is missing, it does nothing.',
  CONVERTER_OPS,
);

const pathRule =
  'names with dots between them, as in filters, and `[]` behind that of a list, such as `lines[].sku`: in each of its elements';

export const converterRule = `At most ${STEPS_MAX} steps, in their order; an empty list says that payloads fit as they are.`;

@InputType({ description: 'A step by which a payload of one version becomes one of the version before.' })
export class ConverterStepInput {
  @Field(() => ConverterOp, { description: 'What the step does.' })
  op!: Op;

  @Field(() => String, { description: `The field that it is about: ${pathRule}.` })
  path!: string;

  @Nullable(() => String, 'With `RENAME` the new name, with `MOVE` the path that leads into the same elements.')
  to?: string | null;

  @Nullable(() => JSONValue, `With \`SET\` the value, at most ${VALUE_CHARS_MAX} characters as JSON.`)
  value?: unknown;
}

@ObjectType({ description: 'A step by which a payload of one version becomes one of the version before.' })
export class ConverterStep {
  @Field(() => ConverterOp, { description: 'What the step does.' })
  op!: Op;

  @Field(() => String, { description: `The field that it is about: ${pathRule}.` })
  path!: string;

  @Nullable(() => String, 'The new name, or the path that the value moves to. Null with other operations.')
  to?: string | null;

  @Nullable(() => JSONValue, 'The value that is set. Null also with other operations.')
  value?: unknown;
}
