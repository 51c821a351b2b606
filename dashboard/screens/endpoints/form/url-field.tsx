import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useState } from 'react';
import { Field, TextInput } from '../../../parts/field';
import { Untrusted } from '../../../parts/untrusted';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import { type UrlProblem, urlProblem } from './url-check';

/** The url of an endpoint: judged as it is typed, and by the service once it is sent. */
export function UrlField({
  value,
  onChange,
  refusal,
  autoFocus,
}: {
  value: string;
  onChange: (url: string) => void;
  /** The service's message about the url that was sent last. */
  refusal: string | undefined;
  autoFocus?: boolean;
}) {
  const { i18n } = useLingui();
  const [left, setLeft] = useState(false);
  const problem = urlProblem(value);
  const says =
    problem !== undefined && (problem !== 'typing' || (left && value !== '')) ? <Problem of={problem} /> : undefined;
  return (
    <Field
      name={i18n._(ENDPOINT_FIELDS.url.name)}
      hint={i18n._(ENDPOINT_FIELDS.url.hint)}
      error={refusal !== undefined ? <Untrusted text={refusal} /> : says}
    >
      {(props) => (
        <TextInput
          {...props}
          type="url"
          inputMode="url"
          required
          autoFocus={autoFocus}
          value={value}
          placeholder="https://example.com/webhooks"
          onBlur={() => setLeft(true)}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

function Problem({ of }: { of: UrlProblem }): ReactNode {
  switch (of) {
    case 'typing':
    case 'not-a-url':
      return <Trans>This is no whole url yet, such as https://example.com/webhooks.</Trans>;
    case 'too-long':
      return <Trans>A url may have 2,048 characters at most.</Trans>;
    case 'not-https':
      return <Trans>The url must begin with https://, unless the operator allows http://.</Trans>;
    case 'userinfo':
      return <Trans>A user name or password may not stand in the url. Check the signature instead.</Trans>;
    case 'fragment':
      return <Trans>Leave out what follows the #: it would never be sent.</Trans>;
    case 'port':
      return <Trans>Use port 443 or 80, or one from 1024 on.</Trans>;
    case 'local':
      return <Trans>This name is not public: it has no domain.</Trans>;
  }
}
