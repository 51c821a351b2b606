import { Entity, Filter, PrimaryKey, Property } from '@mikro-orm/decorators/legacy';
import { Field, Int, ObjectType } from 'type-graphql';
import { attemptKey } from '../domain/ids/global-id.js';
import { SEND_ERRORS } from '../domain/outcome.js';
import { idColumn, tenantFilter, timeColumn } from './columns.js';
import { KeyedNode, Node } from './node.js';

const errorCodes = Object.entries(SEND_ERRORS)
  .map(([code, meaning]) => `- \`${code}\`: ${meaning}.`)
  .join('\n');

@Entity({ schema: 'hookwright', tableName: 'attempts' })
@Filter(tenantFilter())
@KeyedNode('Attempt', ({ deliveryId, number }: Attempt) => attemptKey(deliveryId, number))
@ObjectType({ implements: Node, description: 'One request to an endpoint, and its answer.' })
export class Attempt {
  @PrimaryKey(idColumn())
  deliveryId!: number;

  @PrimaryKey({ type: 'integer' })
  @Field(() => Int, { description: '1 for the first attempt of a delivery.' })
  number!: number;

  @Property(idColumn())
  tenantId!: number;

  @Property({ type: 'text' })
  @Field(() => String, { description: "The webhook's url at the time of the attempt." })
  url!: string;

  @Property(timeColumn())
  @Field(() => Date, { description: 'When the request was handed to the network.' })
  startedAt!: Date;

  @Property({ type: 'integer' })
  @Field(() => Int, {
    description:
      'Milliseconds from the hand-over to the network until the answer was read, or the attempt failed. Whole seconds where the name of the host led nowhere.',
  })
  durationMs!: number;

  @Property({ type: 'integer', nullable: true })
  @Field(() => Int, {
    nullable: true,
    description:
      'Milliseconds for resolving the name; null when it failed, there was none to resolve, or the connection was there already.',
  })
  dnsMs!: number | null;

  @Property({ type: 'integer', nullable: true })
  @Field(() => Int, {
    nullable: true,
    description:
      'Milliseconds for connecting, TLS not included; null when it failed, or the connection was there already.',
  })
  connectMs!: number | null;

  @Property({ type: 'integer', nullable: true })
  @Field(() => Int, {
    nullable: true,
    description:
      'Milliseconds for the TLS handshake; null without TLS, when it failed, or the connection was there already.',
  })
  tlsMs!: number | null;

  @Property({ type: 'integer', nullable: true })
  @Field(() => Int, {
    nullable: true,
    description:
      'Milliseconds from sending the request until the headers of the answer were there; null without an answer.',
  })
  firstByteMs!: number | null;

  @Property({ type: 'integer', nullable: true })
  @Field(() => Int, { nullable: true, description: 'The HTTP status of the answer; null when there was none.' })
  statusCode!: number | null;

  @Property({ type: 'text', nullable: true })
  @Field(() => String, {
    nullable: true,
    description: `Why it failed: \`HTTP_\` with the status of the answer, or why none came; null when it succeeded.\n${errorCodes}`,
  })
  errorCode!: string | null;

  /** A JSON object as text: its public field is in graphql/deliveries/attempt.ts. */
  @Property({ type: 'text' })
  requestHeaders!: string;

  /** Not read with the row, since it may be long: operations/explorer/read-bodies.ts reads it. */
  @Property({ type: 'text', nullable: true, lazy: true })
  responseHeaders?: string | null;

  /** Likewise. */
  @Property({ type: 'blob', nullable: true, lazy: true })
  responseBody?: Buffer | null;

  @Property({ type: 'boolean' })
  @Field(() => Boolean, { description: 'The answer was longer than what is kept of it (16 KiB).' })
  responseTruncated!: boolean;
}
