import { Trans, useLingui } from '@lingui/react/macro';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { loadPageAgain, ScriptMissing } from '../api/scripts';
import { isFramed } from '../api/tab-storage';
import { Button } from './button';
import { Answer, Empty } from './page';
import { plainSearch } from './place';
import { Untrusted } from './untrusted';

/** Router options of portal and console: plain addresses, and pages for errors and unknown addresses. */
export const routerOptions = {
  ...plainSearch,
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Broken,
};

function NotFound() {
  return (
    <Empty title={<Trans>Page not found</Trans>}>
      <Trans>The address may be misspelled or incomplete. Press Ctrl K to find anything by its id.</Trans>
    </Empty>
  );
}

function Broken(props: ErrorComponentProps) {
  return props.error instanceof ScriptMissing ? <Outdated /> : <Failed {...props} />;
}

/** A part of the page cannot be loaded, as after an upgrade of the service. */
function Outdated() {
  const { t } = useLingui();
  useEffect(() => {
    if (isFramed) {
      loadPageAgain();
    }
  }, []);
  return (
    <Answer
      tone="warn"
      actions={!isFramed && <Button look="primary" onClick={() => loadPageAgain()}>{t`Reload the page`}</Button>}
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

/** A fault of the page itself. */
function Failed({ error, reset }: ErrorComponentProps) {
  const { t } = useLingui();
  const router = useRouter();
  return (
    <Answer
      tone="bad"
      actions={
        <>
          <Button
            onClick={() => {
              reset();
              void router.invalidate();
            }}
          >{t`Try again`}</Button>
          <Button onClick={() => loadPageAgain()}>{t`Reload the page`}</Button>
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
