import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Fold } from '../../../parts/fold';
import type { Issue } from '../../../parts/issues';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { type ContentDraft, placeholdersOf } from './content-draft';
import { FilterField } from './filter-field';
import { FormatFields, issuesAt } from './format-fields';
import { ReleaseField } from './release-field';
import { ShapeField } from './shape-field';
import type { KnownPaths } from './use-paths';

/** Which events an endpoint gets, and the format of their bodies. */
export function ContentFields({
  value,
  onChange,
  issues,
  paths,
  eventTypes,
  isNew = false,
  formatRemark,
}: {
  value: ContentDraft;
  onChange: (value: ContentDraft) => void;
  /** The broken rules, with paths from the content on. */
  issues: readonly Issue[];
  paths: KnownPaths;
  eventTypes: readonly string[];
  /** Most new endpoints need neither filter nor shape. */
  isNew?: boolean;
  formatRemark?: ReactNode;
}) {
  const { i18n } = useLingui();
  // With a release other fields may be sent: the service says once it is saved which it lacks.
  const unknown = value.release === '' ? placeholdersOf(value).filter(paths.isUnknownValue) : [];
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <FilterField
        value={value.filter}
        onChange={(filter) => onChange({ ...value, filter })}
        paths={paths}
        issues={issuesAt(issues, 'filter')}
        beginsEmpty={isNew}
      />
      <FormatFields value={value} onChange={onChange} issues={issues} unknown={unknown} remark={formatRemark} />
      <ReleaseField value={value.release} onChange={(release) => onChange({ ...value, release })} isNew={isNew} />
      <Fold
        isOpen={!isNew || value.shape !== ''}
        summary={
          <>
            <span className="font-medium text-ink">{i18n._(ENDPOINT_FIELDS.shape.name)}</span>
            <br />
            <Trans>The whole payload is sent.</Trans>
          </>
        }
        action={<Trans>Send a part of it</Trans>}
      >
        <ShapeField
          value={value.shape}
          onChange={(shape) => onChange({ ...value, shape })}
          issues={issuesAt(issues, 'shape')}
          eventTypes={eventTypes}
          release={value.release}
        />
      </Fold>
    </div>
  );
}
