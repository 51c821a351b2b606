import { ask, RefusedError } from '../connection/ask.js';
import type { Connection } from '../connection/connection.js';
import type { Step } from './compare.js';

interface Tenant {
  id: string;
  name: string;
}

interface Impact {
  breaks: boolean;
  complete: boolean;
  eventsLookedAt: number;
  eventsRefused: number;
  refusedEvents: { tenant: Tenant | null; eventId: string; issues: { path: string; detail: string }[] }[];
  webhookCount: number;
  brokenOptionCount: number;
  brokenOptions: { tenant: Tenant | null; webhookId: string; option: string; message: string }[];
}

const DRY_RUN = `mutation ($input: UpdateEventTypeInput!) {
  updateEventType(input: $input) {
    proof { fits }
    impact {
      breaks complete eventsLookedAt eventsRefused webhookCount brokenOptionCount
      refusedEvents { tenant { id name } eventId issues { path detail } }
      brokenOptions { tenant { id name } webhookId option message }
    }
  }
}`;

/** The judgement of the service about a step, in lines for people. */
interface Judged {
  breaks: boolean;
  lines: string[];
}

const MISFIT = '! Its converter does not fit the sample, or events of the last day: the push will be refused.';
const NOTHING: Judged = { breaks: false, lines: [] };

/**
 * Asks the service what a step would break.
 *
 * @throws Error as `ask`, but for a refusal: that of the push itself says more
 */
export async function judgeStep(connection: Connection, { name, kind, change }: Step): Promise<Judged> {
  if (kind !== 'changed' || change.schema === undefined) {
    return NOTHING;
  }
  type Answer = { updateEventType: { impact: Impact | null; proof: { fits: boolean } | null } };
  const { schema, converter } = change;
  const input = { name, schema, ...(converter === undefined ? {} : { converter }), dryRun: true };
  try {
    const { impact, proof } = (await ask<Answer>(connection, DRY_RUN, { input })).updateEventType;
    const misfit = proof?.fits === false ? [MISFIT] : [];
    return impact === null ? NOTHING : { breaks: impact.breaks, lines: [...misfit, ...linesOf(impact).map(printable)] };
  } catch (error) {
    if (error instanceof RefusedError) {
      return { breaks: false, lines: [`What it breaks is not known: ${error.message}`] };
    }
    throw error;
  }
}

function linesOf(impact: Impact): string[] {
  const { breaks, complete, eventsLookedAt, eventsRefused, webhookCount, brokenOptionCount, brokenOptions } = impact;
  const more = brokenOptionCount - brokenOptions.length;
  const rest = complete ? [] : ['There may be more: the time of the search was over.'];
  if (!breaks) {
    const isUnused = complete && eventsLookedAt === 0 && webhookCount === 0;
    const webhooks = `${webhookCount} webhook${webhookCount === 1 ? '' : 's'}`;
    const used = `It breaks no event of the last ${eventsLookedAt}, and no option of ${webhooks}.`;
    return [isUnused ? 'No event or webhook uses it.' : used, ...rest];
  }
  return [
    ...(eventsRefused === 0 ? [] : [`! Breaks: events like ${eventsRefused} of the last ${eventsLookedAt}, such as`]),
    ...impact.refusedEvents.map(
      ({ tenant, eventId, issues }) => `  ${eventId} of ${nameOf(tenant)}: ${issues.map(issueOf).join('; ')}`,
    ),
    ...brokenOptions.map(
      ({ tenant, webhookId, option, message }) =>
        `! Breaks: ${OPTIONS[option] ?? option} of ${webhookId} of ${nameOf(tenant)}: ${message}`,
    ),
    ...(more > 0 ? [`! Breaks: ${more} more options.`] : []),
    ...rest,
  ];
}

const OPTIONS: Readonly<Record<string, string>> = {
  FILTER: 'the filter',
  SHAPE: 'the shape',
  TEXT: 'the text',
  TEMPLATE: 'the template',
  ORDERING_KEY: 'the ordering key',
};

const nameOf = (tenant: Tenant | null) => (tenant === null ? 'a deleted tenant' : `${tenant.name} (${tenant.id})`);
const issueOf = ({ path, detail }: { path: string; detail: string }) => `${path || 'the payload'} ${detail}`;

/** Names of fields in payloads may have anything. */
const printable = (line: string) => line.replaceAll(/\p{Cc}/gu, ' ');
