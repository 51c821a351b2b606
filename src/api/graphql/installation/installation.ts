import 'reflect-metadata';
import type { GraphQLResolveInfo } from 'graphql';
import { Args, Ctx, Field, Info, ObjectType, Resolver } from 'type-graphql';
import { HOUR_MS } from '../../../domain/text/durations.js';
import { Nullable } from '../../../entities/nullable.js';
import type { Backlog, ClosedBacklog } from '../../../operations/explorer/read-backlog.js';
import { readClosedBacklog } from '../../../operations/installation/closed-backlog.js';
import { readDaemons } from '../../../operations/installation/daemons.js';
import { readReport } from '../../../operations/installation/installation-report.js';
import {
  FAILURES_LOOKED,
  readBacklogOfAll,
  readFailuresOfAll,
  readPartitions,
} from '../../../operations/installation/read-all.js';
import type { Installation as Facts } from '../../../operations/installation/read-installation.js';
import type { JobAside } from '../../../operations/jobs/read-jobs-aside.js';
import { encryptionKeysInUse } from '../../../operations/secrets/try-encryption-keys.js';
import type { StatsQuestion } from '../../../operations/stats/read-stats.js';
import { PLATFORM } from '../../../platform/database/tenant-database.js';
import type { Context } from '../../context/context.js';
import { mayHold, STATS_COST } from '../fields/costs.js';
import { NullableQuery, NullableResolver } from '../fields/nullable.js';
import { RequiresScope } from '../fields/requires.js';
import { statsOf } from '../stats/stats.js';
import { BacklogType, ClosedBacklogType, Stats, WebhookStatsArgs } from '../stats/stats-types.js';
import { FailingNow } from './failing.js';
import {
  DaemonType,
  EncryptionKeyInUse,
  FailureCount,
  Finding,
  FindingLevel,
  Housekeeping,
  JobAsideType,
  PartitionType,
  Retention,
  retentionOf,
} from './installation-types.js';

/** Daemons report every 15 seconds: after this time none is running. */
const REPORT_SILENT_SECONDS = 60;

/** The report of a daemon (daemon/duties/report-installation.ts), in its JSON form. */
interface Report {
  checks: { name: string; status: string; text: string }[];
  installation: Pick<Facts, 'housekeeping' | 'oldestLateSeconds'>;
  jobsAside: JobAside[];
}

const silence = {
  name: 'reports',
  status: 'fail',
  text: 'No daemon has reported within a minute: nothing is delivered. Start one, and look at its log.',
};

const dateOrNull = (text: unknown): Date | null => (typeof text === 'string' ? new Date(text) : null);

async function parseReport({ db }: Context) {
  const read = await readReport(db);
  return read === null ? null : { ...read, report: JSON.parse(read.report) as Report };
}

@ObjectType({
  description: 'The whole installation, over all tenants. Each field reads the database: select only what you need.',
})
export class Installation {
  #report: ReturnType<typeof parseReport> | undefined;

  /** Read and parsed at its first use. */
  #read(context: Context) {
    this.#report ??= parseReport(context);
    return this.#report;
  }

  @Nullable(
    () => Date,
    'When a daemon last updated `findings`, `housekeeping` and `jobsPutAside`, which happens every 15 seconds. Null if never.',
  )
  async examinedAt(@Ctx() context: Context): Promise<Date | null> {
    return (await this.#read(context))?.madeAt ?? null;
  }

  @Field(() => BacklogType, { description: 'Deliveries of all tenants that are still to be sent.' })
  backlog(@Ctx() { db }: Context): Promise<Backlog> {
    return readBacklogOfAll(db);
  }

  @Field(() => ClosedBacklogType, {
    description: 'Of the due deliveries of all tenants those that wait for a pause, and the age of the others.',
  })
  async closed(@Ctx() context: Context): Promise<ClosedBacklog> {
    const closed = await readClosedBacklog(context.db);
    return { ...closed, oldestOtherDueAt: closed.oldestOtherDueAt ?? (await this.#lateSince(context)) };
  }

  /** Behind those that are due longest, which this process looks at, a report may have found one. */
  async #lateSince(context: Context): Promise<Date | null> {
    const read = await this.#read(context);
    const seconds = read?.report.installation.oldestLateSeconds ?? 0;
    return seconds === 0 ? null : new Date(read!.madeAt.getTime() - seconds * 1_000);
  }

  @Field(() => FailingNow, { description: 'The webhooks of all tenants that fail now.' })
  failing(): FailingNow {
    return new FailingNow();
  }

  @mayHold(50)
  @Field(() => [FailureCount], {
    description: `Number of failures by reason, most frequent first, among the latest attempts of the newest ${FAILURES_LOOKED} deliveries.`,
  })
  failures(@Ctx() { db }: Context): Promise<FailureCount[]> {
    return readFailuresOfAll(db);
  }

  @Field(() => [DaemonType], {
    description: 'Daemons that reported within 10 minutes, newest first; at most 100.',
  })
  daemons(@Ctx() { db }: Context): Promise<DaemonType[]> {
    return readDaemons(db);
  }

  @mayHold(100)
  @Field(() => [JobAsideType], {
    description: 'Jobs that were started again and again without finishing, or have failed for good; the oldest 100.',
  })
  async jobsPutAside(@Ctx() context: Context): Promise<JobAsideType[]> {
    const jobs = (await this.#read(context))?.report.jobsAside ?? [];
    return jobs.map(({ key, ...job }) => ({ ...job, jobKey: key, triedAgainAt: dateOrNull(job.triedAgainAt) }));
  }

  @mayHold(400)
  @Field(() => [PartitionType], {
    description: 'The daily parts of events, deliveries and attempts, newest first.',
  })
  partitions(@Ctx() { db }: Context): Promise<PartitionType[]> {
    return readPartitions(db);
  }

  @Field(() => Retention, { description: 'Retention times.' })
  retention(@Ctx() { config }: Context): Retention {
    return retentionOf(config);
  }

  @Nullable(() => Housekeeping, 'The hourly work of daemons. Null when no daemon has reported yet.')
  async housekeeping(@Ctx() context: Context): Promise<Housekeeping | null> {
    const read = await this.#read(context);
    if (read === null) {
      return null;
    }
    const { startedAt, succeededAt, failure } = read.report.installation.housekeeping;
    const started = dateOrNull(startedAt);
    return {
      startedAt: started,
      succeededAt: dateOrNull(succeededAt),
      failedAt: dateOrNull(failure?.at),
      error: failure?.error ?? null,
      nextAt: nextHousekeeping(started ?? context.clock()),
    };
  }

  @Field(() => [EncryptionKeyInUse], { description: 'The encryption keys that protect the secrets of tenants.' })
  encryptionKeys(@Ctx() { db }: Context): Promise<EncryptionKeyInUse[]> {
    return encryptionKeysInUse(db);
  }

  @mayHold(40)
  @Field(() => [Finding], {
    description:
      'The findings of `hookwright doctor`, except about settings and encryption keys. When no daemon is running, they say so, and the others are from the last daemon.',
  })
  async findings(@Ctx() context: Context): Promise<Finding[]> {
    const read = await this.#read(context);
    const isSilent = read === null || read.ageSeconds > REPORT_SILENT_SECONDS;
    return [...(isSilent ? [silence] : []), ...(read?.report.checks ?? [])].map(({ name, status, text }) => ({
      name,
      level: FindingLevel[status.toUpperCase() as FindingLevel],
      text,
    }));
  }
}

@Resolver(() => Installation)
export class InstallationResolver {
  @RequiresScope('platform:read')
  @NullableQuery(() => Installation, 'The state of the whole installation, over all tenants. For platform keys only.')
  installation(): Installation {
    return new Installation();
  }

  @NullableResolver(
    () => Stats,
    'Successes, failures and durations of attempts of all tenants, without the last minute or two.',
    { complexity: STATS_COST },
  )
  stats(
    @Args(() => WebhookStatsArgs) args: WebhookStatsArgs,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): Promise<Stats> {
    const ofAll = (question: StatsQuestion) => context.loaders.statsByTenant.load({ tenantId: PLATFORM, ...question });
    return statsOf(context, args, info, ofAll);
  }
}

/** Housekeeping runs every hour at :07. */
function nextHousekeeping(after: Date): Date {
  const minute = 7 * 60_000;
  return new Date((Math.floor((after.getTime() - minute) / HOUR_MS) + 1) * HOUR_MS + minute);
}
