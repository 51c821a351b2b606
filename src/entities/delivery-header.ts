import { Field, InputType, ObjectType } from 'type-graphql';
import type { HeaderInput, ShownHeader } from '../domain/fields/headers.js';
import { Nullable } from './nullable.js';

@ObjectType({ description: 'A header of its own that a webhook gets with each request.' })
export class DeliveryHeader implements ShownHeader {
  @Field(() => String, { description: 'The name, as it is sent.' })
  name!: string;

  @Nullable(() => String, 'The value. Null when it is secret.')
  value!: string | null;

  @Field(() => Boolean, { description: 'Whether nobody can read the value.' })
  secret!: boolean;
}

@InputType({ description: 'A header to add to each request, or to replace.' })
export class DeliveryHeaderInput implements HeaderInput {
  @Field(() => String, { description: 'The name: 1 to 64 characters. Upper and lower case mean the same header.' })
  name!: string;

  @Field(() => String, {
    description: 'The value: 1 to 4,096 visible ASCII characters, with blanks only between them.',
  })
  value!: string;

  @Field(() => Boolean, { defaultValue: true, description: 'Whether nobody can read the value.' })
  secret!: boolean;
}
