import { Entity, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Int, ObjectType } from 'type-graphql';
import type { DeliveryMethod } from '../domain/deliveries/delivery-method.js';
import { SEND_ERRORS } from '../domain/deliveries/outcome.js';
import { attemptKey } from '../domain/ids/global-id.js';
import { idColumn, shown, tenantFilter } from './columns.js';
import { KeyedNode, Node } from './node.js';

const errorCodes = Object.entries(SEND_ERRORS)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}.`)
  .join('\n');

@Entity({ schema: 'hookwright', tableName: 'attempts' })
@Filter(tenantFilter())
@KeyedNode('Attempt', ({ deliveryId, number }: Attempt) => attemptKey(deliveryId, number))
@ObjectType({ implements: Node, description: 'One request to an endpoint and its answer.' })
export class Attempt {
  @PrimaryKey(idColumn())
  deliveryId!: number;

  @PrimaryKey({ type: 'integer' })
  @Field(() => Int, { description: '1 for the first attempt of a delivery.' })
  number!: number;

  @Property(idColumn())
  tenantId!: number;

  @shown.text("The webhook's url at the time of the attempt.")
  url!: string;

  /** Null: POST. The public field is in api/graphql/deliveries/attempt.ts. */
  @Property({ type: 'text', nullable: true })
  method!: DeliveryMethod | null;

  @shown.time('When the request was handed to the network.')
  startedAt!: Date;

  @shown.integer(
    'Milliseconds from `startedAt` until the answer was read or the attempt failed. Whole seconds when the host name could not be resolved.',
  )
  durationMs!: number;

  @shown.nullableInteger(
    'Milliseconds for resolving the host name. Null when that failed, when there was no name to resolve, or when the connection was reused.',
  )
  dnsMs!: number | null;

  @shown.nullableInteger(
    'Milliseconds for connecting, without TLS. Null when that failed or the connection was reused.',
  )
  connectMs!: number | null;

  @shown.nullableInteger(
    'Milliseconds for the TLS handshake. Null without TLS, when it failed, or when the connection was reused.',
  )
  tlsMs!: number | null;

  @shown.nullableInteger(
    'Milliseconds from sending the request until the headers of the answer arrived. Null without an answer.',
  )
  firstByteMs!: number | null;

  @shown.nullableInteger('HTTP status of the answer. Null without an answer.')
  statusCode!: number | null;

  @shown.nullableText(
    `Why the attempt failed: \`HTTP_\` and the status of the answer, or one of the codes below. Null when it succeeded.\n${errorCodes}`,
  )
  errorCode!: string | null;

  /** A JSON object as text. The public field is in api/graphql/deliveries/attempt.ts. */
  @Property({ type: 'text' })
  requestHeaders!: string;

  /** May be long, so operations/explorer/read-bodies.ts reads it. */
  @Property({ type: 'text', nullable: true, lazy: true })
  responseHeaders?: string | null;

  @Property({ type: 'blob', nullable: true, lazy: true })
  responseBody?: Buffer | null;

  @shown.boolean('True when the answer was longer than the 16 KiB that are kept.')
  responseTruncated!: boolean;
}
