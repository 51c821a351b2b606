import { Field, InputType, ObjectType } from 'type-graphql';
import {
  CONDITIONS_MAX,
  type ElementCondition,
  type EventFilter,
  FILTER_DEPTH_MAX,
  FILTER_LIST_MAX,
  FILTER_OPS,
  FILTER_TEXT_CHARS_MAX,
  type FieldCondition,
  type FilterOp as Op,
} from '../domain/content/filter.js';
import { PATH_CHARS_MAX, PATH_NAMES_MAX } from '../domain/content/filter-path.js';
import type { FailedCondition as Failed } from '../domain/content/judge-filter.js';
import { graphqlEnum } from './graphql-enum.js';
import { Nullable } from './nullable.js';
import { JSONValue } from './scalars.js';

const FilterOp = graphqlEnum(
  'FilterOp',
  'How a condition compares. Where an array is on the path, one of its elements is enough; for `NE`, `NOT_IN` and `MISSING` none may equal, or be there. Dates are texts: they compare letter by letter.',
  FILTER_OPS,
);

@InputType({ description: 'A condition on one field of the payload.' })
export class FieldConditionInput implements FieldCondition {
  @Field(() => String, {
    description: `The names that lead to the field, with dots between them, such as \`total.amount\`: at most ${PATH_NAMES_MAX} names and ${PATH_CHARS_MAX} characters. Names with other characters than letters, digits, \`_\` and \`-\` stand in quotes. \`@type\` is the event type.`,
  })
  path!: string;

  @Field(() => FilterOp, { description: 'How the field is compared.' })
  op!: Op;

  @Nullable(
    () => JSONValue,
    `A text of at most ${FILTER_TEXT_CHARS_MAX} characters, a number, a boolean or null. For \`IN\` and \`NOT_IN\` a list of 1 to ${FILTER_LIST_MAX} values of one type. All operators need it but \`EXISTS\`, \`MISSING\` and \`CHANGED\`, which take none. Another type than the value's never matches, also within \`not\`.`,
  )
  value?: unknown;
}

@InputType({
  description:
    'One element of a list that meets a filter by itself. Conditions beside each other may be met by different elements.',
})
class ElementConditionInput implements ElementCondition {
  @Field(() => String, { description: 'The path of the list, such as `lines`.' })
  path!: string;

  @Field(() => EventFilterInput, {
    description: 'Paths in it begin at the element. `@type` is the event type there too.',
  })
  match!: EventFilterInput;
}

@InputType({
  description: `Exactly one of these. A filter has at most ${CONDITIONS_MAX} conditions, and is at most ${FILTER_DEPTH_MAX} levels deep.`,
})
export class EventFilterInput implements EventFilter {
  @Nullable(() => [EventFilterInput], 'Matches when all of these match.')
  all?: EventFilterInput[] | null;

  @Nullable(() => [EventFilterInput], 'Matches when one of these matches.')
  any?: EventFilterInput[] | null;

  @Nullable(() => EventFilterInput, 'Matches when this one does not match.')
  not?: EventFilterInput | null;

  @Nullable(() => FieldConditionInput, 'Matches when the condition is met.')
  field?: FieldConditionInput | null;

  @Nullable(() => ElementConditionInput, 'Matches when one element of a list meets a filter by itself.')
  element?: ElementConditionInput | null;
}

@ObjectType({
  description: 'A condition of a filter that an event does not meet: the first one, in the order of the filter.',
})
export class FailedCondition implements Failed {
  @Field(() => String, { description: 'The path of the field, or `@type`.' })
  path!: string;

  @Field(() => FilterOp, { description: 'How the field is compared.' })
  op!: Op;

  @Nullable(() => JSONValue, 'The value that the field is compared with. Null also for operators without one.')
  value?: unknown;

  @Field(() => Boolean, {
    description:
      'Whether it stands within `not`. Then the event meets the condition itself, or has a value of another type.',
  })
  negated!: boolean;

  @Field(() => String, {
    description:
      'Its place in the filter as a JSON pointer, such as `/all/1/field`. One that ends with `/element` means that no one element of the list meets all of `match`.',
  })
  pointer!: string;
}
