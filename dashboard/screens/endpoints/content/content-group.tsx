import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { EventFilter } from '../../../../src/domain/content/filter';
import { Code } from '../../../parts/code';
import { plainUntrusted, Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { Folded, Group, Value, Values } from '../one/group';
import { OptionWarnings } from '../option-warnings';
import type { SettingsProps } from '../use-endpoint';
import { ConditionWords } from './condition-words';
import { conditionsOf } from './filter-rows';
import { PinnedRelease } from './pinned-release';
import { FORMATS } from './words';

/** Which events an endpoint gets, and the format of their bodies. */
export function ContentGroup({ endpoint, maySet }: SettingsProps) {
  const { t, i18n } = useLingui();
  const { filter, shape, format, text, template, release, warnings } = endpoint.content;
  if (filter == null && shape == null && format === 'JSON' && release == null && !maySet) {
    return null;
  }
  return (
    <Group title={<Trans>Filter and format</Trans>} change={maySet && 'content'}>
      <Values>
        <Value wide high name={i18n._(ENDPOINT_FIELDS.filter.name)}>
          {filter == null ? <Trans>none</Trans> : <FilterWords filter={filter as EventFilter} />}
        </Value>
        <Value name={i18n._(ENDPOINT_FIELDS.format.name)}>
          {i18n._(FORMATS[format].name)}
          {template != null && (
            <Folded summary={<Trans>Show the template</Trans>}>
              <Code text={JSON.stringify(template, null, 2)} name={t`the template`} />
            </Folded>
          )}
        </Value>
        {text != null && (
          <Value wide name={i18n._(ENDPOINT_FIELDS.text.name)}>
            <Untrusted text={text} />
          </Value>
        )}
        {shape != null && (
          <Value name={i18n._(ENDPOINT_FIELDS.shape.name)}>
            <Folded summary={<Trans>Show the shape</Trans>}>
              <Code text={shape} name={t`the shape`} />
            </Folded>
          </Value>
        )}
      </Values>
      {release != null && <PinnedRelease id={endpoint.id} release={release} />}
      <OptionWarnings warnings={warnings} />
    </Group>
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
