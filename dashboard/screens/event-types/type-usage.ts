import { useMemo } from 'react';
import { useQuery } from 'urql';
import { TYPE_USAGE } from './documents';

const DAY_MS = 86_400_000;
const DAYS = 7;

export interface TenantUse {
  databaseId: number;
  name: string;
  attempts: number;
}

/**
 * How many attempts there were to deliver events of a type in the last 7 days: of all tenants, and of each of the
 * newest 100, the one with the most first. Undefined while it is not known.
 */
export function useTypeUsage(name: string): { attempts: number; tenants: TenantUse[] } | undefined {
  const since = useMemo(() => new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString(), []);
  const [{ data }] = useQuery({ query: TYPE_USAGE, variables: { name, since } });
  return useMemo(() => {
    const all = data?.installation?.stats;
    if (all == null) {
      return undefined;
    }
    const tenants = (data?.tenants?.edges ?? [])
      .map(({ node }) => ({ ...node, attempts: node.stats?.total.attempts ?? 0 }))
      .filter(({ attempts }) => attempts > 0)
      .sort((one, other) => other.attempts - one.attempts);
    const ofTenants = tenants.reduce((sum, { attempts }) => sum + attempts, 0);
    // The figure of all lacks the last minute or two.
    return { attempts: Math.max(all.total.attempts, ofTenants), tenants };
  }, [data]);
}
