import { Trans, useLingui } from '@lingui/react/macro';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import type { RecipientRowFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { Card, Empty, Failure, PageHead } from '../../parts/page';
import { TableSkeleton } from '../../parts/skeleton';
import { useAllowed, useViewer } from '../../parts/viewer';
import { formatter } from '../../text/formats';
import { DeleteRecipient } from './delete-recipient';
import { RECIPIENTS } from './documents';
import { RecipientForm } from './recipient-form';
import { RecipientList } from './recipient-list';

/** The people who hear by e-mail when an endpoint fails. */
export default function Notices() {
  const { t } = useLingui();
  const { mailConfigured, mailSettingsMissing } = useViewer();
  const mayChange = useAllowed('webhooks:options');
  const [creating, setCreating] = useState(false);
  const [editing, setEditing] = useState<RecipientRowFragment>();
  const [deleting, setDeleting] = useState<RecipientRowFragment>();
  const [{ data, error }, read] = useQuery({ query: RECIPIENTS });
  const rows = data?.noticeRecipients?.edges.map(({ node }) => node) ?? [];
  const create = mayChange && mailConfigured && (
    <Button look="primary" icon={<Plus />} onClick={() => setCreating(true)}>
      <Trans>Add a recipient</Trans>
    </Button>
  );
  return (
    <>
      <PageHead title={t`Notices`} actions={create} />
      {error && <Failure error={error} retry={read} />}
      {data === undefined && error === undefined && <TableSkeleton />}
      {data?.noticeRecipients && (
        <Card flush>
          <RecipientList
            rows={rows}
            changes={mayChange ? { edit: setEditing, remove: setDeleting } : null}
            empty={
              <Empty title={<Trans>No recipients</Trans>} action={create}>
                {mailConfigured ? (
                  <Trans>A recipient gets an e-mail when an endpoint fails, is disabled or works again.</Trans>
                ) : (
                  <NoMails missing={mailSettingsMissing} />
                )}
              </Empty>
            }
          />
        </Card>
      )}
      {creating && <RecipientForm onClose={() => setCreating(false)} />}
      {editing && <RecipientForm recipient={editing} onClose={() => setEditing(undefined)} />}
      <DeleteRecipient recipient={deleting} onClose={() => setDeleting(undefined)} />
    </>
  );
}

/** @param missing the settings that are not set; none for those who cannot set them */
function NoMails({ missing }: { missing: readonly string[] }) {
  const { i18n } = useLingui();
  if (missing.length === 0) {
    return <Trans>This installation sends no e-mails.</Trans>;
  }
  const settings = formatter(Intl.ListFormat, i18n.locale, { type: 'conjunction' }).format(missing);
  return <Trans>This installation sends no e-mails yet. Set {settings} for API and daemon (docs/notices.md).</Trans>;
}
