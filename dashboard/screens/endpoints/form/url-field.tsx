import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { URL_LENGTH_MAX } from '../../../../src/domain/fields/webhook-fields';
import { TextField } from '../../../parts/field';
import type { FieldProps } from '../../../parts/form';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { count } from '../../../text/numbers';
import { urlProblem } from './url-check';

/** The url of an endpoint: judged as it is typed, and by the service once it is sent. */
export function UrlField(props: FieldProps<string> & { autoFocus: boolean }) {
  const { i18n } = useLingui();
  const [left, setLeft] = useState(false);
  const problem = urlProblem(props.value);
  const shows = problem !== undefined && (problem !== 'typing' || (left && props.value !== ''));
  return (
    <TextField
      {...props}
      name={i18n._(ENDPOINT_FIELDS.url.name)}
      hint={i18n._(ENDPOINT_FIELDS.url.hint)}
      error={shows && <Problem of={problem} />}
      type="url"
      inputMode="url"
      required
      placeholder="https://example.com/webhooks"
      onBlur={() => setLeft(true)}
    />
  );
}

function Problem({ of }: { of: NonNullable<ReturnType<typeof urlProblem>> }): ReactNode {
  switch (of) {
    case 'typing':
    case 'url_not_absolute':
      return <Trans>Enter a full URL, such as https://example.com/webhooks.</Trans>;
    case 'url_characters':
      return <Trans>The URL must not contain control characters.</Trans>;
    case 'url_too_long':
      return <Trans>The URL must have at most {count(URL_LENGTH_MAX)} characters.</Trans>;
    case 'url_scheme':
      return <Trans>The URL must begin with https://, unless the operator allows http://.</Trans>;
    case 'url_userinfo':
      return <Trans>The URL must not contain a user name or password. Verify the signature instead.</Trans>;
    case 'url_fragment':
      return <Trans>Remove the part after #. It would never be sent.</Trans>;
    case 'url_port':
      return <Trans>Use port 443 or 80, or a port from 1024 that no internal service uses.</Trans>;
    case 'url_host':
      return <Trans>The host must have a public name, such as hooks.example.com.</Trans>;
  }
}
