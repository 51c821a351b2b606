import { graphql } from '../../api/generated';

/** Figures that change by the second. */
export const NOW = graphql(`
  query InstallationNow {
    installation {
      examinedAt
      backlog { due scheduled held oldestDueAt countMax }
      closed { due webhooks until oldestOtherDueAt }
      daemons { workerId host pid version slots inFlight startedAt lastSeenAt }
      jobsPutAside { jobKey task deliveryId tries lastError triedAgainAt }
      findings { name level text }
    }
  }
`);

/** What fails now, of all tenants: endpoints, and deliveries by reason. */
export const FAILING = graphql(`
  query FailingNow {
    installation {
      failing {
        gone
        disabled
        failing
        webhooks(first: 50) {
          webhookId
          name
          externalId
          url
          state
          since
          lastErrorCode
          consecutiveFailures
          held
          tenant { id databaseId name externalId }
        }
      }
      failures { errorCode deliveries }
    }
  }
`);

export const ATTEMPTS = graphql(`
  query InstallationAttempts($since: DateTime!, $until: DateTime) {
    installation {
      stats(since: $since, until: $until) {
        since
        until
        buckets { start successes failures p50Ms p95Ms p99Ms }
        total { attempts successes failures successRate p50Ms p95Ms p99Ms }
      }
    }
  }
`);

/** Figures that change by the day. */
export const KEPT = graphql(`
  query InstallationKept {
    installation {
      partitions { table since until rowsEstimate bytes }
      retention { deliveryDays eventDays holdHours }
      housekeeping { startedAt succeededAt failedAt error nextAt }
      encryptionKeys { kid tenants }
    }
  }
`);
