import { Trans } from '@lingui/react/macro';
import { Card } from '../../../parts/page';
import { ContentFields } from '../content/content-fields';
import type { NewEndpointState } from './use-new-endpoint';

/** Which events a new endpoint gets, and their format: from its first event on. */
export function NewContent({
  draft,
  onChange,
  issues,
  paths,
  eventTypes,
  isFormatByUrl,
}: NonNullable<NewEndpointState['content']> & { eventTypes: readonly string[] }) {
  return (
    <Card title={<Trans>Filter and format</Trans>}>
      <ContentFields
        isNew
        value={draft}
        onChange={onChange}
        issues={issues}
        paths={paths}
        eventTypes={eventTypes}
        formatRemark={isFormatByUrl && draft.format !== 'JSON' && <Trans>Chosen by the URL.</Trans>}
      />
    </Card>
  );
}
