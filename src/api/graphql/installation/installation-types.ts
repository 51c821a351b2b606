import 'reflect-metadata';
import { GraphQLSafeInt } from 'graphql-scalars';
import { ArgsType, Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { graphqlEnum } from '../../../entities/graphql-enum.js';
import { ShowsIdOf } from '../../../entities/node.js';
import { Nullable } from '../../../entities/nullable.js';
import { DisabledReason } from '../../../entities/webhook.js';
import { EVENT_EXTRA_DAYS } from '../../../operations/housekeeping/roll-partitions.js';
import type { TenantRanking } from '../../../operations/installation/top-tenants.js';
import { DUE_LOOKED, LATENCIES_RANKED, NEAREST, type Ranking } from '../../../operations/installation/top-webhooks.js';
import type { Config } from '../../../platform/settings/config.js';
import { StatsFiguresType } from '../stats/stats-types.js';

export const FindingLevel = graphqlEnum('FindingLevel', 'The severity of a finding.', {
  OK: 'As it should be.',
  WARN: 'Worth looking after.',
  FAIL: 'Something does not work, or can be lost.',
});
export type FindingLevel = keyof typeof FindingLevel;

@ObjectType({ description: 'The result of one check, as in `hookwright doctor`.' })
export class Finding {
  @Field(() => String, { description: 'The name of the check, such as `backlog`.' })
  name!: string;

  @Field(() => FindingLevel, { description: 'The severity.' })
  level!: FindingLevel;

  @Field(() => String, { description: 'The result and, if something is wrong, what to do.' })
  text!: string;
}

@ObjectType('Daemon', { description: 'A process that sends deliveries.' })
export class DaemonType {
  @Field(() => ID, { name: 'workerId', description: 'A UUID of the process.' })
  id!: string;

  @Field(() => String, { description: 'The name of the machine or container.' })
  host!: string;

  @Field(() => Int, { description: 'The process id.' })
  pid!: number;

  @Field(() => String, { description: 'The version of Hookwright.' })
  version!: string;

  @Field(() => Int, { description: 'Highest number of requests in flight.' })
  slots!: number;

  @Field(() => Int, { description: 'Number of requests in flight.' })
  inFlight!: number;

  @Field(() => Date, { description: 'When the process started.' })
  startedAt!: Date;

  @Field(() => Date, {
    description:
      'When the process last reported, which it does every 5 seconds. A process that is silent for longer has ended or is cut off.',
  })
  lastSeenAt!: Date;
}

@ObjectType('PutAsideJob', {
  description: 'A job that was set aside because it did not finish.',
})
export class JobAsideType {
  @Field(() => String, { description: 'The key of the job, such as `d:140123456789012` for a delivery.' })
  jobKey!: string;

  @Field(() => String, { description: 'The task of the job, such as `deliver`.' })
  task!: string;

  @ShowsIdOf('Delivery', { nullable: true, description: 'The id of the delivery. Null for another task.' })
  deliveryId!: number | null;

  @Field(() => Int, { description: 'How often the job was started.' })
  tries!: number;

  @Nullable(() => String, 'The last error. Null when the process died.')
  lastError!: string | null;

  @Nullable(() => Date, 'When the job is tried again. Null when it has failed for good.')
  triedAgainAt!: Date | null;
}

@ObjectType('Partition', { description: 'The part of a table for one UTC day.' })
export class PartitionType {
  @Field(() => String, { description: 'The table: `events`, `deliveries` or `attempts`.' })
  table!: string;

  @Field(() => Date, { description: 'Begin of the day.' })
  since!: Date;

  @Field(() => Date, { description: 'End of the day.' })
  until!: Date;

  @Nullable(() => Float, 'Estimated number of rows. Null when Postgres has not counted yet.')
  rowsEstimate!: number | null;

  @Field(() => GraphQLSafeInt, { description: 'Size in bytes, including indexes.' })
  bytes!: number;
}

@ObjectType({ description: 'Retention times, from the settings of this process.' })
export class Retention {
  @Field(() => Int, { description: 'Days that deliveries and attempts are kept (RETENTION_DAYS).' })
  deliveryDays!: number;

  @Field(() => Int, { description: 'Days that events are kept.' })
  eventDays!: number;

  @Field(() => Float, { description: 'Hours for which an inactive webhook collects deliveries (HOLD_HOURS).' })
  holdHours!: number;
}

export const retentionOf = ({ retentionDays, holdHours }: Config): Retention => ({
  deliveryDays: retentionDays,
  eventDays: retentionDays + EVENT_EXTRA_DAYS,
  holdHours,
});

@ObjectType({ description: 'The hourly work of daemons: creating and dropping partitions, deleting old rows.' })
export class Housekeeping {
  @Nullable(() => Date, 'When housekeeping was last started. Null if never.')
  startedAt!: Date | null;

  @Nullable(() => Date, 'When housekeeping last succeeded. Null if never.')
  succeededAt!: Date | null;

  @Nullable(() => Date, 'When the last run failed. Null when it did not fail.')
  failedAt!: Date | null;

  @Nullable(() => String, 'The error of the last run. Null when it did not fail.')
  error!: string | null;

  @Field(() => Date, { description: 'When housekeeping is due next. In the past when it is overdue.' })
  nextAt!: Date;
}

@ObjectType({ description: 'An encryption key in use.' })
export class EncryptionKeyInUse {
  @Field(() => ID, {
    description: 'The name of the key in ENCRYPTION_KEYS, or `local` for the key in the data folder.',
  })
  kid!: string;

  @Field(() => Int, { description: 'Number of tenants whose secrets the key protects.' })
  tenants!: number;
}

@ObjectType({ description: 'Number of deliveries whose latest attempt failed for one reason.' })
export class FailureCount {
  @Field(() => String, { description: 'The reason, like `Attempt.errorCode`.' })
  errorCode!: string;

  @Field(() => Int, { description: 'Number of deliveries.' })
  deliveries!: number;
}

const TopWebhooksBy = graphqlEnum<Ranking>('TopWebhooksBy', 'The ranking of webhooks of all tenants.', {
  FAILURES: 'Most failed attempts.',
  ATTEMPTS: 'Most attempts.',
  LATENCY: `Longest attempts, by the duration that 95 % do not exceed, of the ${LATENCIES_RANKED.toLocaleString('en')} webhooks with the most.`,
  BACKLOG: `Most due deliveries among the ${DUE_LOOKED} that wait longest.`,
  WAIT: 'The due delivery that waits longest.',
});

const TopTenantsBy = graphqlEnum<TenantRanking>('TopTenantsBy', 'The ranking of tenants.', {
  FAILURES: `Most failed attempts, of the ${NEAREST} webhooks with the most.`,
  ATTEMPTS: `Most attempts, of the ${NEAREST} webhooks with the most.`,
  BACKLOG: `Most due deliveries among the ${DUE_LOOKED} that wait longest.`,
  WAIT: 'The due delivery that waits longest.',
});

export const TOP_MAX = 50;

@ArgsType()
export class TopArgs {
  @Nullable(() => Int, `How many: 1 to ${TOP_MAX}.`, { defaultValue: 10 })
  first?: number | null;

  @Nullable(() => Date, 'Only attempts after this time count. At most 7 days ago; default: 24 hours ago.')
  since?: Date | null;
}

@ArgsType()
export class TopWebhooksArgs extends TopArgs {
  @Field(() => TopWebhooksBy, { description: 'The ranking.' })
  by!: Ranking;
}

@ArgsType()
export class TopTenantsArgs extends TopArgs {
  @Field(() => TopTenantsBy, { description: 'The ranking.' })
  by!: TenantRanking;
}

@ObjectType({ description: 'A webhook of any tenant and its figures.' })
export class TopWebhook {
  @ShowsIdOf('Webhook', { description: 'The id of the webhook.' })
  webhookId!: number;

  @Field(() => String, { description: 'The address that receives the deliveries.' })
  url!: string;

  @Field(() => Boolean, { description: 'True while deliveries are sent.' })
  active!: boolean;

  @Nullable(() => DisabledReason, 'Why the webhook is inactive. Null when it is active.')
  disabledReason!: DisabledReason | null;

  @Nullable(() => Date, 'Until when the endpoint asked for a pause. Null when it did not.')
  closedUntil!: Date | null;

  @Field(() => Int, { description: 'Number of attempts that failed in a row.' })
  consecutiveFailures!: number;

  tenantId!: number;

  @Field(() => Int, { description: 'Number of due deliveries. 250 means 250 or more.' })
  due!: number;

  @Nullable(() => Date, 'When the oldest due delivery became due. Null when none is due.')
  oldestDueAt!: Date | null;

  @Field(() => StatsFiguresType, { description: 'Attempts since the requested time.' })
  figures!: StatsFiguresType;
}
