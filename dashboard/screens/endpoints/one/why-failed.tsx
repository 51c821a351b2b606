import { Plural, Trans } from '@lingui/react/macro';
import { useFirstRows } from '../../../parts/first-rows';
import { Card } from '../../../parts/page';
import { Link } from '../../../parts/place';
import { Untrusted } from '../../../parts/untrusted';
import { Remedy } from '../remedy';
import type { ShownEndpoint } from '../use-endpoint';

/** The reasons of failed deliveries, the most frequent first, each with its remedy. */
export function WhyFailed({ endpoint }: { endpoint: ShownEndpoint }) {
  const [shown, all] = useFirstRows(endpoint.failures ?? []);
  if (shown.length === 0) {
    return null;
  }
  return (
    <Card
      title={<Trans>Why deliveries failed</Trans>}
      actions={
        <>
          <span className="text-xs text-soft max-cards:hidden">
            <Trans>of the last 1,000</Trans>
          </span>
          {all}
        </>
      }
      flush
    >
      <ul>
        {shown.map(({ errorCode, deliveries }) => (
          <li
            key={errorCode}
            className="flex flex-wrap items-baseline justify-between gap-x-3 border-b border-line px-3.5 py-1.5 text-xs text-soft last:border-b-0 sm:flex-nowrap"
          >
            <Link
              to="/deliveries"
              search={{ endpoint: String(endpoint.databaseId), error: errorCode }}
              className="min-w-0 font-mono font-medium text-bad no-underline hover:underline sm:w-48 sm:shrink-0"
            >
              <Untrusted text={errorCode} />
            </Link>
            <p className="min-w-0 max-sm:order-1 max-sm:basis-full sm:flex-1">
              <Remedy code={errorCode} endpoint={endpoint} />
            </p>
            <span className="figures whitespace-nowrap">
              <Plural value={deliveries} one="# delivery" other="# deliveries" />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
