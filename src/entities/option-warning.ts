import { Field, ObjectType } from 'type-graphql';
import { WARNING_CODES, type OptionWarning as Warning } from '../domain/content/option-warnings.js';
import { Nullable } from './nullable.js';

const codes = Object.entries(WARNING_CODES).map(([code, meaning]) => `\`${code}\` (${meaning})`);

@ObjectType({
  description:
    'A possible mistake in an option, most by the schemas of the event types. It is not an error, since schemas grow.',
})
export class OptionWarning implements Warning {
  @Field(() => String, { description: `The kind, for programs: ${codes.join(', ')}. There may be more in the future.` })
  code!: Warning['code'];

  @Field(() => String, { description: 'A sentence for people.' })
  message!: string;

  @Field(() => String, {
    description: 'The path in payloads that it is about, `@type`, the name of a header, or a part of `tls`.',
  })
  path!: string;

  @Nullable(() => String, 'The event type whose schema it is about. Null: all that the webhook gets.')
  eventType!: string | null;

  @Nullable(() => [String], 'The types that the schemas have at the path, such as `number`. Null where they have none.')
  types!: Warning['types'];
}
