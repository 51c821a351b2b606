import { RefusedError } from '../../connection/ask.js';
import type { Numbered } from '../lines/import-file.js';
import type { WebhookLine } from '../lines/line.js';
import { newWebhook } from '../lines/webhook-input.js';
import type { ImportApi } from './api.js';
import { changeOf, differencesOf, KNOWN_FIELDS, type KnownWebhook } from './differences.js';
import type { Report } from './report.js';
import type { KnownTenant } from './tenants.js';

export interface WriteOptions {
  dryRun?: boolean;
  update?: boolean;
  paused?: boolean;
}

interface Page {
  webhooks: {
    edges: readonly { node: KnownWebhook }[];
    pageInfo: { hasNextPage: boolean; endCursor: string | null };
  };
}

type Proving = Pick<KnownWebhook, 'verification'>;
interface Created {
  createWebhook: { webhook: Proving };
}
interface Updated {
  updateWebhook: { webhook: Proving };
}

const LIST = `query ($after: String) {
  webhooks(first: 100, after: $after) { edges { node { ${KNOWN_FIELDS} } } pageInfo { hasNextPage endCursor } }
}`;
const FIND = `query ($externalId: String!) { webhook(externalId: $externalId) { ${KNOWN_FIELDS} } }`;
const CREATE =
  'mutation ($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { verification { status } } } }';
const UPDATE =
  'mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { verification { status } } } }';

/** Refusals of one line: the next one may be accepted. */
const OF_THE_LINE = /^(BAD_USER_INPUT|CONFLICT|NOT_FOUND)$/;
export const isOfTheLine = (error: unknown): error is RefusedError =>
  error instanceof RefusedError && OF_THE_LINE.test(error.code);

/** The webhooks of a tenant that have external ids, by these. */
export async function listWebhooks(api: ImportApi, tenant: KnownTenant): Promise<Map<string, KnownWebhook>> {
  const there = new Map<string, KnownWebhook>();
  for (let after: string | null = null; ; ) {
    const { webhooks }: Page = await api.ask<Page>(LIST, { after }, tenant.id);
    for (const { node } of webhooks.edges) {
      if (node.externalId !== null) {
        there.set(node.externalId, node);
      }
    }
    after = webhooks.pageInfo.endCursor;
    if (!webhooks.pageInfo.hasNextPage) {
      return there;
    }
  }
}

/** Makes and changes the webhooks of one tenant, one after the other: the service locks the tenant for each. */
export class WebhookWriter {
  constructor(
    private readonly api: ImportApi,
    private readonly report: Report,
    private readonly options: WriteOptions,
    /** The id of the tenant. */
    private readonly tenant: string,
  ) {}

  /** @throws what the next line would meet, too */
  async write({ number, line }: Numbered<WebhookLine>, there: KnownWebhook | undefined): Promise<void> {
    try {
      const known = there ?? (await this.#make(number, line));
      if (known !== null) {
        await this.#compare(number, line, known);
      }
    } catch (error) {
      if (!isOfTheLine(error)) {
        throw error;
      }
      this.report.line(number, 'refused', line.from, error.message.split('\n'));
    }
  }

  /** @returns the webhook that has the external id already, if there is one */
  async #make(number: number, line: WebhookLine): Promise<KnownWebhook | null> {
    const { input, notes } = newWebhook(this.options.paused ? { ...line, active: false } : line, Date.now());
    try {
      const { createWebhook } = await this.api.ask<Created>(CREATE, { input }, this.tenant);
      this.#countProof(createWebhook.webhook);
    } catch (error) {
      if (!(error instanceof RefusedError && error.reasons.includes('external_id_taken'))) {
        throw error;
      }
      // By another run, or by this one before its answer was lost.
      const { externalId } = line;
      const { webhook } = await this.api.ask<{ webhook: KnownWebhook | null }>(FIND, { externalId }, this.tenant);
      if (webhook === null) {
        throw error;
      }
      return webhook;
    }
    this.report.line(number, 'made', line.from, notes);
    return null;
  }

  #countProof({ verification }: Proving): void {
    if (verification !== null && verification.status !== 'VERIFIED') {
      this.report.awaitsProof();
    }
  }

  async #compare(number: number, line: WebhookLine, there: KnownWebhook): Promise<void> {
    const differences = differencesOf(line, there);
    const name = `${line.from}, ${there.id}`;
    const sentences = differences.map(({ sentence }) => sentence);
    const isChanged = differences.length > 0 && this.options.update && !this.options.dryRun;
    if (!isChanged) {
      this.#countProof(there);
    }
    if (differences.length === 0) {
      this.report.line(number, 'same', name);
    } else if (!this.options.update) {
      this.report.line(number, 'different', name, sentences);
    } else {
      const input = { id: there.id, ifVersion: there.version, ...changeOf(line, differences) };
      if (!this.options.dryRun) {
        const { updateWebhook } = await this.api.ask<Updated>(UPDATE, { input }, this.tenant);
        this.#countProof(updateWebhook.webhook);
      }
      this.report.line(number, 'changed', name, sentences);
    }
  }
}
