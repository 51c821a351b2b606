import { Trans, useLingui } from '@lingui/react/macro';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { CombinedError } from 'urql';
import { Button, buttonLook } from '../../parts/button';
import { Field, TextInput } from '../../parts/field';
import { issueAt, issuesOf } from '../../parts/issues';
import { JsonField, parseObject } from '../../parts/json-field';
import { Card, Failure } from '../../parts/page';
import { Link } from '../../parts/place';

export interface Written {
  name: string;
  description: string;
  schema: Record<string, unknown>;
}

/**
 * What an event type is made of. What the API refuses stands at its place.
 *
 * @param fixed the name of a type that exists, which cannot be changed.
 * @param children below the schema, such as what has changed.
 */
export function EventTypeForm({
  fixed,
  usual,
  error,
  busy,
  action,
  leave,
  onSubmit,
  children,
}: {
  fixed?: string;
  usual: Written;
  error: CombinedError | undefined;
  busy: boolean;
  action: string;
  /** Where “Cancel” leads. */
  leave: string;
  onSubmit: (written: Written) => void;
  children?: (written: Written) => ReactNode;
}) {
  const { t } = useLingui();
  const [name, setName] = useState(usual.name);
  const [description, setDescription] = useState(usual.description);
  const [schema, setSchema] = useState(() => JSON.stringify(usual.schema, null, 2));
  // What the API has said of the schema counts until the schema is another one.
  const [sent, setSent] = useState<string>();
  const parsed = parseObject(schema);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if ('value' in parsed) {
      setSent(schema);
      onSubmit({ name: name.trim(), description: description.trim(), schema: parsed.value });
    }
  };
  const ofSchema =
    sent === schema
      ? issuesOf(error)
          .filter(({ path }) => path[1] === 'schema')
          .map(({ path, detail }) => ({ path: path.slice(2), detail }))
      : [];
  return (
    <form onSubmit={submit} className="flex max-w-4xl flex-col gap-4">
      {error && issuesOf(error).length === 0 && <Failure error={error} />}
      <Card>
        <div className="flex flex-col gap-2.5">
          {fixed === undefined && (
            <Field
              name={<Trans>Name</Trans>}
              hint={t`Two or more parts of a–z, 0–9 and “_” with dots between, such as order.paid. It cannot be changed.`}
              error={issueAt(error, 'input', 'name')}
            >
              {(props) => (
                <TextInput
                  {...props}
                  required
                  autoFocus
                  maxLength={128}
                  value={name}
                  onChange={({ target }) => setName(target.value)}
                />
              )}
            </Field>
          )}
          <Field
            name={<Trans>When it happens</Trans>}
            hint={t`A sentence for those who subscribe, such as “An order was paid in full.”`}
            error={issueAt(error, 'input', 'description')}
          >
            {(props) => (
              <TextInput
                {...props}
                required
                maxLength={1_000}
                value={description}
                onChange={({ target }) => setDescription(target.value)}
              />
            )}
          </Field>
          <JsonField
            name={<Trans>JSON Schema of the payload (2020-12)</Trans>}
            hint={t`Of type object, at most 64 KiB. Payloads that do not fit are refused when they are emitted.`}
            value={schema}
            onChange={setSchema}
            issues={ofSchema}
          />
        </div>
      </Card>
      {'value' in parsed && children?.({ name, description, schema: parsed.value })}
      <div className="flex justify-end gap-2">
        <Link to={leave} className={buttonLook('plain')}>
          <Trans>Cancel</Trans>
        </Link>
        <Button type="submit" look="primary" disabled={busy || 'wrong' in parsed}>
          {action}
        </Button>
      </div>
    </form>
  );
}
