import 'reflect-metadata';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, Float, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { ShowsIdOf } from '../../entities/node.js';
import { DUE_LOOKED, type Ranking } from '../../operations/installation/top-webhooks.js';
import { StatsFiguresType } from '../stats/stats-types.js';

export enum FindingLevel {
  OK = 'OK',
  WARN = 'WARN',
  FAIL = 'FAIL',
}
registerEnumType(FindingLevel, {
  name: 'FindingLevel',
  description: 'How bad a finding is.',
  valuesConfig: {
    OK: { description: 'As it should be.' },
    WARN: { description: 'Worth looking after.' },
    FAIL: { description: 'Something does not work, or can be lost.' },
  },
});

@ObjectType({ description: 'One thing that was looked at, as `hookwright doctor` does.' })
export class Finding {
  @Field(() => String, { description: 'What was looked at, such as `backlog`.' })
  name!: string;

  @Field(() => FindingLevel, { description: 'How it is.' })
  level!: FindingLevel;

  @Field(() => String, { description: 'What was found and, where it is not as it should be, what to do.' })
  text!: string;
}

@ObjectType('Daemon', { description: 'A process that delivers.' })
export class DaemonType {
  @Field(() => ID, { name: 'workerId', description: 'A UUID of the process.' })
  id!: string;

  @Field(() => String, { description: 'The name of its machine or container.' })
  host!: string;

  @Field(() => Int, { description: 'The number of its process there.' })
  pid!: number;

  @Field(() => String, { description: 'Of Hookwright.' })
  version!: string;

  @Field(() => Int, { description: 'How many requests it has in flight at most.' })
  slots!: number;

  @Field(() => Int, { description: 'How many requests it has in flight.' })
  inFlight!: number;

  @Field(() => Date, { description: 'When the process started.' })
  startedAt!: Date;

  @Field(() => Date, {
    description: 'When it last said so: every 5 seconds. One that was silent for longer has ended, or is cut off.',
  })
  lastSeenAt!: Date;
}

@ObjectType('PutAsideJob', {
  description: 'A job that is out of the way of the others, because it did not come to its end.',
})
export class JobAsideType {
  @Field(() => String, { description: 'Its key, such as `d:140123456789012` for one of a delivery.' })
  jobKey!: string;

  @Field(() => String, { description: 'What it does, such as `deliver`.' })
  task!: string;

  @ShowsIdOf('Delivery', { nullable: true, description: 'The delivery that it is for; null for another task.' })
  deliveryId!: number | null;

  @Field(() => Int, { description: 'How often it was fetched.' })
  tries!: number;

  @Field(() => String, { nullable: true, description: 'What it failed of last; null when its process died.' })
  lastError!: string | null;

  @Field(() => Date, { nullable: true, description: 'When it is tried again; null when it has failed for good.' })
  triedAgainAt!: Date | null;
}

@ObjectType('Partition', { description: 'The part of a table that one UTC day has.' })
export class PartitionType {
  @Field(() => String, { description: '`events`, `deliveries` or `attempts`.' })
  table!: string;

  @Field(() => Date, { description: 'The beginning of its day.' })
  since!: Date;

  @Field(() => Date, { description: 'The end of its day.' })
  until!: Date;

  @Field(() => Float, {
    nullable: true,
    description: 'About how many rows it has, as Postgres last counted; null when it has not yet.',
  })
  rowsEstimate!: number | null;

  @Field(() => GraphQLSafeInt, { description: 'Its size in bytes, with its indexes.' })
  bytes!: number;
}

@ObjectType({ description: 'What is kept for how long, by the settings of this process.' })
export class Retention {
  @Field(() => Int, { description: 'Days that deliveries and attempts are kept (RETENTION_DAYS).' })
  deliveryDays!: number;

  @Field(() => Int, { description: 'Days that events are kept.' })
  eventDays!: number;

  @Field(() => Float, { description: 'Hours for which an inactive webhook collects deliveries (HOLD_HOURS).' })
  holdHours!: number;
}

@ObjectType({ description: 'The work that daemons do every hour: partitions are made and dropped, old rows deleted.' })
export class Housekeeping {
  @Field(() => Date, { nullable: true, description: 'When it was last started; null: never.' })
  startedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When all of it was last done; null: never.' })
  succeededAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the last run failed; null when it did not.' })
  failedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'What failed of the last run; null when nothing did.' })
  error!: string | null;

  @Field(() => Date, { description: 'When it is due next; in the past when it is overdue.' })
  nextAt!: Date;
}

@ObjectType({ description: 'An encryption key in use.' })
export class EncryptionKeyInUse {
  @Field(() => ID, { description: 'Its name in ENCRYPTION_KEYS, or `local` for the one in the data folder.' })
  kid!: string;

  @Field(() => Int, { description: 'How many tenants’ secrets it protects.' })
  tenants!: number;
}

@ObjectType({ description: 'How often deliveries failed last for one reason.' })
export class FailureCount {
  @Field(() => String, { description: 'Why, as `Attempt.errorCode`.' })
  errorCode!: string;

  @Field(() => Int, { description: 'How many deliveries.' })
  deliveries!: number;
}

const rankings: Record<Ranking, string> = {
  FAILURES: 'Most failed attempts.',
  ATTEMPTS: 'Most attempts.',
  LATENCY: 'Longest attempts, by the duration that 95 % do not exceed.',
  BACKLOG: `Most deliveries that are due, among the ${DUE_LOOKED} that wait longest.`,
};
const TopWebhooksBy = Object.fromEntries(Object.keys(rankings).map((name) => [name, name]));
registerEnumType(TopWebhooksBy, {
  name: 'TopWebhooksBy',
  description: 'By what webhooks of all tenants are ranked.',
  valuesConfig: Object.fromEntries(Object.entries(rankings).map(([name, description]) => [name, { description }])),
});

export const TOP_WEBHOOKS_MAX = 50;

@ArgsType()
export class TopWebhooksArgs {
  @Field(() => TopWebhooksBy, { description: 'By what they are ranked.' })
  by!: Ranking;

  @Field(() => Int, { defaultValue: 10, nullable: true, description: `How many: 1 to ${TOP_WEBHOOKS_MAX}.` })
  first?: number | null;

  @Field(() => Date, {
    nullable: true,
    description: 'Since when attempts count, at most 7 days ago; default: 24 hours ago.',
  })
  since?: Date | null;
}

@ObjectType({ description: 'A webhook of any tenant, and how it is doing.' })
export class TopWebhook {
  @ShowsIdOf('Webhook', { description: 'The id of the webhook.' })
  webhookId!: number;

  @Field(() => String, { description: 'The address that receives the deliveries.' })
  url!: string;

  @Field(() => Boolean, { description: 'True while deliveries are sent.' })
  active!: boolean;

  tenantId!: number;

  @Field(() => Int, { description: 'Deliveries that are due; 250 means: that many or more.' })
  due!: number;

  @Field(() => StatsFiguresType, { description: 'Attempts since the moment that was asked for.' })
  figures!: StatsFiguresType;
}
