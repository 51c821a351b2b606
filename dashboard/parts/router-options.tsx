import { Trans, useLingui } from '@lingui/react/macro';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
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
    <Empty title={<Trans>There is no such page.</Trans>}>
      <Trans>The address may be misspelled, or cut off. Ctrl K finds what has an id.</Trans>
    </Empty>
  );
}

/** A fault of the page itself, or a part of it that cannot be loaded, as after an upgrade of the service. */
function Broken({ error, reset }: ErrorComponentProps) {
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
          <Button onClick={() => location.reload()}>{t`Load the page again`}</Button>
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
