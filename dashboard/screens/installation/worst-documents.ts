import { graphql } from '../../api/generated';

/** Apart from those of the first screen, so that no page of the portal loads them. */
export const WORST = graphql(`
  query WorstEndpoints($by: TopWebhooksBy!, $since: DateTime!) {
    installation {
      topWebhooks(by: $by, first: 50, since: $since) {
        webhookId
        name
        externalId
        url
        active
        disabledReason
        closedUntil
        consecutiveFailures
        due
        oldestDueAt
        lastDay { attempts failures }
        tenant { id databaseId name externalId }
        figures { attempts failures successRate p95Ms }
      }
    }
  }
`);
