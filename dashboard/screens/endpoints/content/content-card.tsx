import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { EventFilter } from '../../../../src/domain/content/filter';
import { Button } from '../../../parts/button';
import { Code } from '../../../parts/code';
import { Card, Fact, Facts } from '../../../parts/page';
import { plainUntrusted, Untrusted } from '../../../parts/untrusted';
import { useWritable } from '../../../parts/viewer';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { useAction, useOffered } from '../actions';
import { OptionWarnings } from '../option-warnings';
import type { ShownEndpoint } from '../use-endpoint';
import { ConditionWords } from './condition-words';
import { conditionsOf } from './filter-rows';
import { FORMATS } from './words';

/** Which events an endpoint gets, and the format of their bodies. */
export function ContentCard({ endpoint }: { endpoint: ShownEndpoint }) {
  const { t, i18n } = useLingui();
  const [, start] = useAction();
  const isWritable = useWritable();
  const mayChange = useOffered(endpoint)('content') && isWritable('content');
  const { filter, shape, format, text, template, warnings } = endpoint.content;
  if (filter == null && shape == null && format === 'JSON' && !mayChange) {
    return null;
  }
  return (
    <Card
      title={<Trans>Filter and format</Trans>}
      actions={
        mayChange && (
          <Button onClick={() => start('content')}>
            <Trans>Change</Trans>
          </Button>
        )
      }
    >
      <div className="flex flex-col gap-3">
        <Facts>
          <Fact name={i18n._(ENDPOINT_FIELDS.filter.name)}>
            {filter == null ? <Trans>none</Trans> : <FilterWords filter={filter as EventFilter} />}
          </Fact>
          <Fact name={i18n._(ENDPOINT_FIELDS.format.name)}>{i18n._(FORMATS[format].name)}</Fact>
          {text != null && (
            <Fact name={i18n._(ENDPOINT_FIELDS.text.name)}>
              <Untrusted text={text} />
            </Fact>
          )}
        </Facts>
        {shape != null && <Code text={shape} name={t`the shape`} />}
        {template != null && <Code text={JSON.stringify(template, null, 2)} name={t`the template`} />}
        <OptionWarnings warnings={warnings} />
      </div>
    </Card>
  );
}

/** A filter as a list of its conditions; one that rows cannot show, in JSON. */
function FilterWords({ filter }: { filter: EventFilter }): ReactNode {
  const { t } = useLingui();
  const shown = conditionsOf(filter);
  if (shown === undefined) {
    return <Code text={JSON.stringify(filter, null, 2)} name={t`the filter`} />;
  }
  const { join, conditions, elementOf } = shown;
  return (
    <>
      {conditions.length > 1 && (
        <span className="text-soft">
          {join === 'all' ? <Trans>all must match</Trans> : <Trans>one must match</Trans>}
        </span>
      )}
      {elementOf !== undefined && (
        <span className="text-soft">
          {' '}
          <Trans>
            one element of <code className="font-mono text-xs">{plainUntrusted(elementOf)}</code> meets all of its
            conditions
          </Trans>
        </span>
      )}
      <ul>
        {conditions.map((condition) => (
          <li key={JSON.stringify(condition)}>
            <ConditionWords condition={condition} />
          </li>
        ))}
      </ul>
    </>
  );
}
