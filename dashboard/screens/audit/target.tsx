import { useLingui } from '@lingui/react/macro';
import type { AuditTarget } from '../../api/generated/graphql';
import { Link } from '../../parts/place';
import { Untrusted } from '../../parts/untrusted';
import { useViewer } from '../../parts/viewer';
import { TARGET_WORDS } from './words';

const SCREENS_OF_TENANT: Partial<Record<AuditTarget, string>> = {
  WEBHOOK: '/endpoints',
  DELIVERY: '/deliveries',
  BULK_OPERATION: '/operations',
  EVENT: '/events',
  EVENT_TYPE: '/catalogue',
};
/** In the log of the installation itself. */
const SCREENS_OF_CONSOLE: Partial<Record<AuditTarget, string>> = {
  EVENT_TYPE: '/event-types',
  TENANT: '/tenants',
};

/** The changed object: its kind, its name if it is known, its id, and a link if there is a screen for it. */
export function Target({
  targetType,
  targetId,
  names,
}: {
  targetType: AuditTarget;
  targetId: string;
  names: ReadonlyMap<string, string>;
}) {
  const { i18n } = useLingui();
  const { tenant } = useViewer();
  const screen = (tenant == null ? SCREENS_OF_CONSOLE : SCREENS_OF_TENANT)[targetType];
  // Screens are found by the number of `wh_12`, event types by the name that their id holds.
  const path = screen && `${screen}/${targetId.replace(/^[a-z]+_/, '')}`;
  const id = <Untrusted text={targetId} />;
  const name = names.get(targetId);
  return (
    <>
      {i18n._(TARGET_WORDS[targetType] ?? targetType)}{' '}
      {name !== undefined && (
        <span className="inline-block max-w-56 truncate align-bottom max-cards:max-w-44 lg:max-w-56">
          <Untrusted text={name} />
        </span>
      )}{' '}
      {path === undefined ? (
        <span className="font-mono text-xs text-soft">{id}</span>
      ) : (
        <Link to={path} className="font-mono text-xs text-accent">
          {id}
        </Link>
      )}
    </>
  );
}
