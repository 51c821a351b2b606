import { Trans, useLingui } from '@lingui/react/macro';
import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import type { KeyRowFragment } from '../../api/generated/graphql';
import { Button } from '../../parts/button';
import { TimeOrNever } from '../../parts/cells';
import { type Column, List, More, usePage } from '../../parts/list';
import { Card, Failure } from '../../parts/page';
import { Time } from '../../parts/time';
import { useAllowed } from '../../parts/viewer';
import { KEYS } from './documents';
import { KeyName } from './key-name';
import { RevokeKey } from './revoke-key';
import { ScopeList } from './scope-list';

/** The people who are signed in to the console, each with the way to sign them out. */
export function ConsoleSessions() {
  const { t } = useLingui();
  const [after, setAfter] = usePage();
  const [ending, setEnding] = useState<KeyRowFragment>();
  const filter = { active: true, consoleSession: true };
  const [{ data, error, fetching }, read] = useQuery({ query: KEYS, variables: { after, filter } });
  const columns = useColumns(useAllowed('platform:admin') ? setEnding : null);
  const rows = data?.apiKeys?.edges.map(({ node }) => node) ?? [];
  return (
    <div className="mt-4">
      <Card title={<Trans>Console sessions</Trans>}>
        {error && <Failure error={error} retry={read} />}
        <p className="mb-3.5 text-sm text-soft">
          <Trans>
            People who signed in through your OpenID provider or the start link. Keys and links they create end with
            their session.
          </Trans>
        </p>
        {data?.apiKeys && rows.length === 0 && (
          <p className="text-sm text-soft">
            <Trans>No sessions.</Trans>
          </p>
        )}
        {data?.apiKeys && rows.length > 0 && (
          <div className="-mx-3.5 -mb-3.5 border-t border-line">
            <List label={t`Console sessions`} columns={columns} rows={rows} keyOf={({ id }) => id} />
            <More shown={rows.length} page={data.apiKeys.pageInfo} busy={fetching} onMore={setAfter} />
          </div>
        )}
      </Card>
      <RevokeKey apiKey={ending} onClose={() => setEnding(undefined)} />
    </div>
  );
}

function useColumns(onEnd: ((session: KeyRowFragment) => void) | null): Column<KeyRowFragment>[] {
  const { t } = useLingui();
  return useMemo(
    () => [
      { name: t`Name`, render: (session) => <KeyName apiKey={session} /> },
      { name: t`Permissions`, wide: true, from: 'md', render: ({ scopes }) => <ScopeList scopes={scopes} /> },
      { name: t`Signed in`, from: 'md', render: ({ createdAt }) => <Time value={createdAt} /> },
      { name: t`Last used`, from: 'sm', render: ({ lastUsedAt }) => <TimeOrNever value={lastUsedAt} /> },
      { name: t`Ends`, from: 'sm', render: ({ expiresAt }) => expiresAt && <Time value={expiresAt} /> },
      {
        name: t`Sign out`,
        bare: true,
        figures: true,
        render: (session) =>
          onEnd !== null && (
            <span className="-my-1 inline-flex">
              <Button look="quiet" onClick={() => onEnd(session)}>
                <Trans>Sign out</Trans>
              </Button>
            </span>
          ),
      },
    ],
    [t, onEnd],
  );
}
