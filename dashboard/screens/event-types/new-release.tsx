import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { useMutation } from 'urql';
import { RELEASE_NAME_CHARS_MAX } from '../../../src/domain/ids/release-name';
import { Button } from '../../parts/button';
import { TextField } from '../../parts/field';
import { useForm } from '../../parts/form';
import { FormDialog } from '../../parts/form-dialog';
import { notify } from '../../parts/toast';
import { CREATE_RELEASE } from './documents';

/** Gives the present versions of all event types a name, which endpoints can be pinned to. */
export function NewRelease() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <Trans>Create a release</Trans>
      </Button>
      {isOpen && <ReleaseDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function ReleaseDialog({ onClose }: { onClose: () => void }) {
  const { t } = useLingui();
  const [, create] = useMutation(CREATE_RELEASE);
  const form = useForm({
    initial: { name: '' },
    save: ({ name }) => create({ name: name.trim() }),
    saved: ({ createRelease: { release } }) => {
      notify(t`Release ${release.name} is created.`, t`Endpoints can be pinned to it.`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={<Trans>Create a release</Trans>}
      action={<Trans>Create the release</Trans>}
      ready={form.values.name.trim() !== ''}
      onClose={onClose}
    >
      <TextField
        {...form.field('name')}
        name={<Trans>Name</Trans>}
        hint={<Trans>Such as 2026-11. It notes the present versions of all event types, and cannot be changed.</Trans>}
        autoFocus
        required
        maxLength={RELEASE_NAME_CHARS_MAX}
      />
    </FormDialog>
  );
}
