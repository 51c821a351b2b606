import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useQuery } from 'urql';
import { Code } from '../../../parts/code';
import { Dialog } from '../../../parts/dialog';
import { Tick } from '../../../parts/field';
import { Answer, Failure } from '../../../parts/page';
import { AS_CURL } from './documents';

/** The latest attempt as a command. With its signature it can be sent for some minutes by anyone who has it. */
export function CurlDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { t } = useLingui();
  const [signed, setSigned] = useState(false);
  const [{ data, error }, again] = useQuery({ query: AS_CURL, variables: { id, redacted: !signed } });
  const command = data?.delivery?.asCurl;
  return (
    <Dialog open onClose={onClose} width="wide" title={<Trans>Copy as cURL</Trans>}>
      <div className="flex flex-col gap-3">
        <p className="text-sm text-soft">
          <Trans>Repeats the latest attempt with its URL, headers and exact body.</Trans>
        </p>
        <Tick checked={signed} onChange={({ target }) => setSigned(target.checked)}>
          <Trans>Include signatures</Trans>
        </Tick>
        {signed && (
          <Answer tone="warn">
            <Trans>
              Anyone with this command can send a validly signed request for 5 minutes. Do not post it in a ticket or a
              chat.
            </Trans>
          </Answer>
        )}
        {error && <Failure error={error} retry={again} />}
        {command != null && <Code text={command} name={t`the command`} wrap />}
        {data?.delivery != null && command == null && (
          <p className="text-sm">
            <Trans>Nothing to repeat: no attempt was made, and the endpoint is deleted.</Trans>
          </p>
        )}
      </div>
    </Dialog>
  );
}
