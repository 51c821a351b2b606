import 'reflect-metadata';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { idToDate } from '../../../domain/ids/delivery-id.js';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { Nullable } from '../../../entities/nullable.js';
import { Webhook } from '../../../entities/webhook.js';
import type { UnblockAction } from '../../../operations/deliveries/unblock-key.js';
import type { OrderingKey } from '../../../operations/ordering/read-keys.js';

@ObjectType('OrderingKey', { description: 'An ordering key of a webhook that has open deliveries.' })
export class OrderingKeyType {
  constructor(readonly row: OrderingKey) {}

  @Field(() => String, { description: 'The key. An empty text when the whole endpoint is one key.' })
  get key(): string {
    return this.row.key;
  }

  @Field(() => Int, { description: 'Number of deliveries that wait for the first one.' })
  get waiting(): number {
    return this.row.waiting;
  }

  @Nullable(() => Date, 'When the oldest of those that wait was created. Null when none waits.')
  get waitingSince(): Date | null {
    return this.row.oldestId === null ? null : idToDate(this.row.oldestId);
  }

  @Nullable(() => Date, 'When the first one failed and blocked the key. Null while the key is not blocked.')
  get blockedAt(): Date | null {
    return this.row.blockedAt;
  }
}

const UnblockKeyAction = graphqlEnum<UnblockAction>('UnblockKeyAction', 'How a blocked key goes on.', {
  RETRY: 'The failed delivery is sent again, before those that wait.',
  SKIP: 'The next delivery is sent. The failed one stays failed.',
  CANCEL_ALL: 'Those that wait are canceled.',
});

@InputType({ description: 'The blocked ordering key to go on with.' })
export class UnblockKeyInput {
  @Field(() => ID, { description: 'The id of the webhook.' })
  webhookId!: string;

  @Field(() => String, { description: 'The key, as in `orderingKeys`.' })
  key!: string;

  @Field(() => UnblockKeyAction, { description: 'How it goes on.' })
  action!: UnblockAction;
}

@ObjectType({ description: 'The webhook whose key goes on.' })
export class UnblockKeyPayload {
  @Field(() => Webhook, { description: 'The webhook.' })
  webhook!: Webhook;
}
