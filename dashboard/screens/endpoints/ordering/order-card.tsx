import { Trans, useLingui } from '@lingui/react/macro';
import { Button } from '../../../parts/button';
import { Card, Fact, Facts } from '../../../parts/page';
import { Untrusted } from '../../../parts/untrusted';
import { useWritable } from '../../../parts/viewer';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { countUpTo } from '../../../text/numbers';
import { useAction, useOffered } from '../actions';
import { OptionWarnings } from '../option-warnings';
import type { ShownEndpoint } from '../use-endpoint';
import { WaitingKeys } from './waiting-keys';
import { ORDER_BY, ORDER_KEEP, ORDER_ON_FAILURE } from './words';

const TITLE = 'order';

/** Brings the card into view. */
export function showOrder(): void {
  const title = document.getElementById(TITLE);
  title?.scrollIntoView({ block: 'center' });
  title?.focus({ preventScroll: true });
}

/** Which deliveries of an endpoint wait for each other, and which keys wait now. */
export function OrderCard({ endpoint }: { endpoint: ShownEndpoint }) {
  const { i18n } = useLingui();
  const [, start] = useAction();
  const isWritable = useWritable();
  const mayChange = useOffered(endpoint)('order') && isWritable('ordering');
  const { ordering, backlog } = endpoint;
  const { by, keyPath, keep, onFailure } = ordering;
  const waiting = backlog?.waiting ?? 0;
  if (by === 'NONE' && waiting === 0 && !mayChange) {
    return null;
  }
  return (
    <Card
      title={
        <span id={TITLE} tabIndex={-1}>
          <Trans context="of deliveries">Order</Trans>
        </span>
      }
      actions={
        mayChange && (
          <Button onClick={() => start('order')}>
            <Trans>Change</Trans>
          </Button>
        )
      }
    >
      <Facts>
        <Fact name={<Trans>In order</Trans>}>{i18n._(ORDER_BY[by].name)}</Fact>
        {keyPath != null && (
          <Fact name={i18n._(ENDPOINT_FIELDS.keyPath.name)}>
            <code className="font-mono text-xs">
              <Untrusted text={keyPath} />
            </code>
          </Fact>
        )}
        {by !== 'NONE' && (
          <>
            <Fact name={<Trans>Sent</Trans>}>{i18n._(ORDER_KEEP[keep].name)}</Fact>
            <Fact name={<Trans>After a failure</Trans>}>{i18n._(ORDER_ON_FAILURE[onFailure].name)}</Fact>
          </>
        )}
        {(by !== 'NONE' || waiting > 0) && (
          <Fact name={<Trans>Waiting</Trans>}>
            <span className="figures">{countUpTo(waiting, backlog?.countMax ?? Number.POSITIVE_INFINITY)}</span>
          </Fact>
        )}
      </Facts>
      <OptionWarnings warnings={ordering.warnings} />
      {(by !== 'NONE' || waiting > 0) && <WaitingKeys endpoint={endpoint} />}
    </Card>
  );
}
