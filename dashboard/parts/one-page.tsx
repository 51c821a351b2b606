import { Trans } from '@lingui/react/macro';
import type { ComponentProps, ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { Button, buttonLook } from './button';
import { runShortcut } from './keyboard';
import { Empty, Failure, messageOf, PageHead } from './page';
import { Link } from './place';
import { Skeleton } from './skeleton';
import { Untrusted } from './untrusted';

/**
 * The page of one thing: a skeleton until it is read, then the thing, or why it cannot be shown.
 *
 * @param title for as long as the thing is not there; `head` may have a better one.
 * @param back the list that the thing belongs to.
 * @param missing advice where the thing is not found; default: what may have become of it.
 */
export function OnePage<Thing>({
  title,
  back,
  thing,
  error,
  retry,
  head,
  missing,
  children,
}: {
  title: string;
  back: { to: string; name: string };
  thing: Thing | null | undefined;
  error: CombinedError | undefined;
  retry: () => void;
  head?: (thing: Thing) => Partial<Omit<ComponentProps<typeof PageHead>, 'back'>>;
  missing?: ReactNode;
  children: (thing: Thing) => ReactNode;
}) {
  const isMissing = error?.graphQLErrors[0]?.extensions?.['code'] === 'NOT_FOUND';
  return (
    <>
      <PageHead
        title={title}
        back={<Link to={back.to}>{back.name}</Link>}
        {...(thing == null ? head && error === undefined && { actions: ACTIONS_ROOM } : head?.(thing))}
      />
      <div className="flex flex-col gap-4">
        {error && !isMissing && <Failure error={error} retry={retry} />}
        {thing != null && children(thing)}
        {thing == null && isMissing && <NotFound error={error} back={back} advice={missing} />}
        {thing == null && error === undefined && <Skeleton heights={ROOM} />}
      </div>
    </>
  );
}

function NotFound({
  error,
  back,
  advice,
}: {
  error: CombinedError;
  back: { to: string; name: string };
  advice: ReactNode;
}) {
  return (
    <Empty
      title={<Untrusted text={messageOf(error)} />}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          <Link to={back.to} className={buttonLook()}>
            {back.name}
          </Link>
          <Button look="primary" onClick={() => runShortcut('mod+k')}>
            <Trans>Find</Trans>
          </Button>
        </div>
      }
    >
      {advice ?? <Trans>Check the number or name. It may have been deleted, or is no longer stored.</Trans>}
    </Empty>
  );
}

/** On a phone the actions have a line of their own. */
const ACTIONS_ROOM = <span className="h-7.5 w-24 cards:hidden" />;
/** About the room of the answer and of two cards. */
const ROOM = ['h-12', 'h-40', 'h-64'];
