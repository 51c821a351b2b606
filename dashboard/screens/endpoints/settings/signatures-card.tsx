import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '../../../parts/button';
import { Card, Fact, Facts } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { useWritable } from '../../../parts/viewer';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { useAction, useOffered } from '../actions';
import type { ShownEndpoint } from '../use-endpoint';
import { SIGNATURE_SCHEMES } from './words';

/** The headers by which an endpoint verifies who sends a request. */
export function SignaturesCard({ endpoint }: { endpoint: ShownEndpoint }) {
  const { i18n } = useLingui();
  const [, start] = useAction();
  const isWritable = useWritable();
  const mayRemove = useOffered(endpoint)('compat') && isWritable('signatures');
  return (
    <Card title={<Trans>Signatures</Trans>}>
      <Facts>
        {endpoint.signatures.map(({ scheme, form, headers }) => (
          <Fact
            key={scheme}
            name={i18n._(scheme === 'COMPAT' ? ENDPOINT_FIELDS.compat.name : SIGNATURE_SCHEMES[scheme])}
          >
            {form != null && (
              <span className="block">
                <Untrusted text={form} />
              </span>
            )}
            {headers.map((name) => (
              <code key={name} className="block font-mono text-xs">
                <Untrusted text={name} />
              </code>
            ))}
            {form != null && headers.length === 0 && <Trans>This part of the service does not know the form.</Trans>}
            {form != null && mayRemove && (
              <div className="mt-1.5">
                <Button onClick={() => start('compat')}>
                  <Trans>Remove</Trans>
                </Button>
              </div>
            )}
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}
