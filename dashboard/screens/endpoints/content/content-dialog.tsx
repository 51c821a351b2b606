import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import { FormDialog } from '../../../parts/form-dialog';
import { BriefConflict } from '../dialogs/brief-conflict';
import { useEndpointForm } from '../dialogs/use-endpoint-form';
import type { EndpointDialogProps } from '../use-endpoint';
import { contentChange, contentDraftOf, contentOf, placeholdersOf, unfinishedIn } from './content-draft';
import { FilterField } from './filter-field';
import { FormatFields, issuesAt } from './format-fields';
import { PreviewCard } from './preview';
import { ShapeField } from './shape-field';
import { usePaths } from './use-paths';
import { type OwnEvent, usePreview } from './use-preview';
import { UNFINISHED } from './words';

/** Changes which events an endpoint gets, and the format of their bodies. Past events show the effect. */
export function ContentDialog({ endpoint, onClose }: EndpointDialogProps) {
  const { i18n } = useLingui();
  const paths = usePaths(endpoint.eventTypes);
  const form = useEndpointForm({
    endpoint,
    onClose,
    valuesOf: ({ content }) => ({ content: contentDraftOf(content) }),
    inputOf: ({ content }) => ({ content: contentChange(content, paths.kindsAt) }),
    saidAfter: <Trans>Filter and format are changed.</Trans>,
  });
  const { value: draft, onChange } = form.field('content');
  const content = useMemo(() => contentOf(draft, paths.kindsAt), [draft, paths]);
  const [own, setOwn] = useState<OwnEvent>();
  const preview = usePreview(endpoint.id, content, own);
  const refused = form.issues('content');
  const issues = refused.length > 0 ? refused : (preview?.issues ?? []);
  const unfinished = unfinishedIn(draft);
  return (
    <FormDialog
      form={form}
      wide={preview ? 'columns' : true}
      title={<Trans>Filter and format</Trans>}
      action={form.conflict ? undefined : <Trans>Save</Trans>}
      refused={unfinished && i18n._(UNFINISHED[unfinished])}
      onClose={onClose}
    >
      {form.conflict && <BriefConflict {...form.conflict} action={<Trans>Save my changes too</Trans>} />}
      <div className={`grid items-start gap-4 ${preview ? 'lg:grid-cols-2' : ''}`}>
        <div className="flex min-w-0 flex-col gap-4">
          <FilterField
            value={draft.filter}
            onChange={(filter) => onChange({ ...draft, filter })}
            paths={paths}
            issues={issuesAt(issues, 'filter')}
          />
          <FormatFields
            value={draft}
            onChange={onChange}
            issues={issues}
            unknown={placeholdersOf(draft).filter(paths.isUnknownValue)}
          />
          <ShapeField
            value={draft.shape}
            onChange={(shape) => onChange({ ...draft, shape })}
            issues={issuesAt(issues, 'shape')}
            eventTypes={endpoint.eventTypes}
          />
        </div>
        {preview && (
          <PreviewCard preview={preview} unfinished={unfinished} own={own} onOwn={setOwn} types={paths.types} />
        )}
      </div>
    </FormDialog>
  );
}
