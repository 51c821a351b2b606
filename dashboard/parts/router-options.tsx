import { Trans, useLingui } from '@lingui/react/macro';
import { type ErrorComponentProps, redirect, useRouter } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useSyncExternalStore } from 'react';
import { pageReload } from '../api/page-reload';
import { ScriptMissing } from '../api/scripts';
import { isFramed } from '../api/tab-storage';
import { Button, buttonLook } from './button';
import { Answer, Empty } from './page';
import { Link, plainSearch } from './place';
import { Untrusted } from './untrusted';

const NUMBERED = /\/(tenants\/tn|endpoints\/wh|deliveries\/dl|events\/ev|operations\/op)_(?=[1-9]\d*(?:\/|$))/g;

/** Addresses that other programs link to may have ids of the API, as `/endpoints/wh_4`: they lead to those with numbers. */
export const byNumber = {
  beforeLoad({ location: { pathname } }: { location: { pathname: string } }) {
    const to = pathname.replace(NUMBERED, (place) => `${place.slice(0, place.lastIndexOf('/'))}/`);
    if (to !== pathname) {
      throw redirect({ to: to as string, search: true as never, hash: true, replace: true });
    }
  },
};

/** Router options of portal and console: plain addresses, and pages for errors and unknown addresses. */
export const routerOptions = {
  ...plainSearch,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Broken,
};

function NotFound() {
  return (
    <Empty
      title={<Trans>Page not found</Trans>}
      action={
        <Link to="/" className={buttonLook()}>
          <Trans>Home page</Trans>
        </Link>
      }
    >
      <Trans>The address may be misspelled or incomplete. Press Ctrl K to find anything by its id.</Trans>
    </Empty>
  );
}

export function Broken(props: ErrorComponentProps) {
  return props.error instanceof ScriptMissing ? <Incomplete /> : <Failed {...props} />;
}

/** A script of the screen is missing, as after an upgrade of the service. */
function Incomplete() {
  const failures = useSyncExternalStore(pageReload.subscribe, pageReload.failures);
  useLayoutEffect(pageReload.start, []); // before it is said which screen is shown
  return failures === 0 ? <Updated /> : <Missing />;
}

function Updated() {
  const { t } = useLingui();
  return (
    <Answer
      tone="warn"
      actions={!isFramed && <Button look="primary" onClick={pageReload.now}>{t`Reload the page`}</Button>}
    >
      <p className="font-medium">
        <Trans>This page was updated</Trans>
      </p>
      <p className="text-sm text-soft">
        {isFramed ? (
          <Trans>It reopens in a few seconds. If not, reload the surrounding page.</Trans>
        ) : (
          <Trans>Reload it to continue.</Trans>
        )}
      </p>
    </Answer>
  );
}

/** The page was loaded again, and a script is missing still. */
function Missing() {
  const { t } = useLingui();
  return (
    <Answer tone="warn" actions={<Button look="primary" onClick={pageReload.now}>{t`Try again`}</Button>}>
      <p className="font-medium">
        <Trans>This screen cannot be loaded just now.</Trans>
      </p>
      <p className="text-sm text-soft">
        <Trans>The service may be in the middle of an update, or your browser blocks a part of the page.</Trans>{' '}
        {pageReload.isAutomatic && <Trans>This page tries again by itself.</Trans>}
      </p>
    </Answer>
  );
}

/** A fault of the page itself. */
function Failed({ error, reset }: ErrorComponentProps) {
  const { t } = useLingui();
  const router = useRouter({ warn: false }) as ReturnType<typeof useRouter> | null;
  useEffect(() => pageReload.stop, []);
  return (
    <Answer
      tone="bad"
      actions={
        <>
          <Button
            onClick={() => {
              reset();
              void router?.invalidate();
            }}
          >{t`Try again`}</Button>
          <Button onClick={pageReload.now}>{t`Reload the page`}</Button>
        </>
      }
    >
      <p className="font-medium">
        <Trans>This screen has failed.</Trans>
      </p>
      <p className="text-xs text-soft">
        <Untrusted text={String(error)} />
      </p>
    </Answer>
  );
}
