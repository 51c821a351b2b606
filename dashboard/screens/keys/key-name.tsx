import { useLingui } from '@lingui/react/macro';
import type { KeyRowFragment } from '../../api/generated/graphql';
import { Badge } from '../../parts/status';
import { Untrusted } from '../../parts/untrusted';
import { useViewer } from '../../parts/viewer';

/** The name of a key, and whether it is the one with which this page works. */
export function KeyName({ apiKey: { id, name } }: { apiKey: KeyRowFragment }) {
  const { t } = useLingui();
  const { apiKey: own } = useViewer();
  return (
    <span className="inline-flex max-w-36 flex-wrap max-cards:max-w-full items-center gap-x-2 sm:max-w-56 sm:flex-nowrap">
      <span className="truncate font-medium">
        <Untrusted text={name} />
      </span>
      {id === own.id && <Badge tone="info">{t`You use this one`}</Badge>}
    </span>
  );
}
