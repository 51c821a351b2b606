import { useLingui } from '@lingui/react/macro';
import { MoreHorizontal } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useMutation } from 'urql';
import type { RecipientRowFragment } from '../../api/generated/graphql';
import { type Column, List } from '../../parts/list';
import { Menu } from '../../parts/menu';
import { Badge } from '../../parts/status';
import { notify } from '../../parts/toast';
import { Untrusted } from '../../parts/untrusted';
import { SEND_TEST_NOTICE, UPDATE_RECIPIENT } from './documents';
import { ALL_TOPICS, DIGESTS, TOPICS } from './words';

interface Changes {
  edit: (recipient: RecipientRowFragment) => void;
  remove: (recipient: RecipientRowFragment) => void;
}

/** @param changes null: the viewer may only look. */
export function RecipientList({
  rows,
  changes,
  empty,
}: {
  rows: readonly RecipientRowFragment[];
  changes: Changes | null;
  empty: ReactNode;
}) {
  const { t, i18n } = useLingui();
  const columns = useMemo(
    (): Column<RecipientRowFragment>[] => [
      {
        name: t`Address`,
        render: ({ address, lastError }) => (
          <span className="block max-w-44 sm:max-w-80">
            <span className="block truncate font-medium">
              <Untrusted text={address} />
            </span>
            {lastError != null && (
              <span className="block truncate text-xs text-bad" title={lastError}>
                <Untrusted text={lastError} />
              </span>
            )}
          </span>
        ),
      },
      { name: t`State`, render: (recipient) => <StateBadge recipient={recipient} /> },
      {
        name: t`Topics`,
        wide: true,
        from: 'md',
        render: ({ topics }) =>
          topics.length === ALL_TOPICS.length ? t`all` : topics.map((topic) => i18n._(TOPICS[topic].name)).join(', '),
      },
      {
        name: t`Sent`,
        from: 'sm',
        render: ({ digest, timeZone }) => (
          <>
            {i18n._(DIGESTS[digest])}
            {digest === 'DAILY' && <span className="text-soft"> {timeZone}</span>}
          </>
        ),
      },
      {
        name: t`Actions`,
        bare: true,
        figures: true,
        render: (recipient) => changes && <Actions recipient={recipient} {...changes} />,
      },
    ],
    [t, i18n, changes],
  );
  return <List label={t`Recipients`} columns={columns} rows={rows} keyOf={({ id }) => id} empty={empty} />;
}

function StateBadge({ recipient: { confirmedAt, unsubscribedAt } }: { recipient: RecipientRowFragment }) {
  const { t } = useLingui();
  if (unsubscribedAt != null) {
    return <Badge tone="calm">{t`Unsubscribed`}</Badge>;
  }
  return confirmedAt == null ? <Badge tone="info">{t`Not confirmed`}</Badge> : <Badge tone="good">{t`Active`}</Badge>;
}

function Actions({ recipient, edit, remove }: { recipient: RecipientRowFragment } & Changes) {
  const { t } = useLingui();
  const [, update] = useMutation(UPDATE_RECIPIENT);
  const [, test] = useMutation(SEND_TEST_NOTICE);
  const { id, address, confirmedAt, unsubscribedAt } = recipient;
  const say = (done: string, { error }: { error?: { message: string } | undefined }) =>
    notify(error === undefined ? done : error.message.replace(/^\[GraphQL\] /, ''));
  const askAgain = async () =>
    say(t`A link for confirmation is sent.`, await update({ input: { id, askAgain: true } }));
  const sendTest = async () => say(t`A test is sent.`, await test({ id }));
  const isActive = confirmedAt != null && unsubscribedAt == null;
  return (
    <span className="-my-1 inline-flex">
      <Menu
        label={t`Actions for ${address}`}
        look="quiet"
        items={[
          { name: t`Edit`, run: () => edit(recipient) },
          isActive
            ? { name: t`Send a test`, run: () => void sendTest() }
            : { name: t`Send the link again`, run: () => void askAgain() },
          { name: t`Delete`, danger: true, run: () => remove(recipient) },
        ]}
      >
        <MoreHorizontal aria-hidden className="size-4" />
      </Menu>
    </span>
  );
}
