import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { EVENT_TYPE_NAME_LENGTH_MAX } from '../../../src/domain/events/event-type';
import { Button, buttonLook } from '../../parts/button';
import { TextField } from '../../parts/field';
import { useForm } from '../../parts/form';
import { JsonField, parseJson, parseObject } from '../../parts/json-field';
import { Card, Failure } from '../../parts/page';
import { Link } from '../../parts/place';

export interface Written {
  name: string;
  description: string;
  schema: Record<string, unknown>;
  /** The steps from a new schema to the one before; none: there are none. */
  converter?: unknown;
}

const CONVERTER_EXAMPLE = '[{"op": "RENAME", "path": "email", "to": "mail"}]';

/** Empty: there is none. */
const parseConverter = (text: string) => (text.trim() === '' ? { value: null } : parseJson(text));

type Save<Data> = (written: Written) => Promise<{ data?: Data | undefined; error?: CombinedError | undefined }>;

/**
 * The parts of an event type. What the API refuses shows at its place.
 *
 * @param fixed the name of a type that exists, which cannot be changed.
 * @param busyText in place of `action` while it saves.
 * @param save may answer with nothing, when it asks first: see `decision`.
 * @param children below the schema, such as its changes.
 * @param decision what saving this schema with this converter would do, shown beside a red button.
 */
export function EventTypeForm<Data>({
  fixed,
  usual,
  action,
  busyText = action,
  leave,
  save,
  saved,
  children,
  decision,
}: {
  fixed?: string;
  usual: Written;
  action: string;
  busyText?: string;
  /** Where “Cancel” leads. */
  leave: string;
  save: Save<Data>;
  saved: (data: Data) => void;
  children?: (schema: Written['schema']) => ReactNode;
  decision?: (written: Pick<Written, 'schema' | 'converter'>) => { shown: ReactNode; action: string } | undefined;
}) {
  const form = useTypeForm(usual, save, saved);
  const parsed = parseObject(form.values.schema);
  const converter = parseConverter(form.values.converter);
  const isWrong = 'wrong' in parsed || 'wrong' in converter;
  const decided =
    'value' in parsed && 'value' in converter
      ? decision?.({ schema: parsed.value, converter: converter.value ?? undefined })
      : undefined;
  return (
    <form onSubmit={form.submit} className="flex max-w-4xl flex-col gap-4">
      {form.error && <Failure error={form.error} />}
      <TypeFields form={form} isNew={fixed === undefined} />
      {'value' in parsed && children?.(parsed.value)}
      {decided?.shown}
      <div className="flex justify-end gap-2">
        <Link to={leave} className={buttonLook('plain')}>
          <Trans>Cancel</Trans>
        </Link>
        <Button type="submit" look={decided ? 'danger' : 'primary'} disabled={form.busy || isWrong}>
          {form.busy ? busyText : (decided?.action ?? action)}
        </Button>
      </div>
    </form>
  );
}

function useTypeForm<Data>(usual: Written, save: Save<Data>, saved: (data: Data) => void) {
  return useForm({
    initial: () => ({
      name: usual.name,
      description: usual.description,
      schema: JSON.stringify(usual.schema, null, 2),
      converter: '',
    }),
    save: ({ name, description, schema, converter }) =>
      save({
        name: name.trim(),
        description: description.trim(),
        schema: JSON.parse(schema),
        ...(converter.trim() === '' ? {} : { converter: JSON.parse(converter) as unknown }),
      }),
    saved,
  });
}

function TypeFields({ form, isNew }: { form: ReturnType<typeof useTypeForm>; isNew: boolean }) {
  const { t } = useLingui();
  return (
    <Card>
      <div className="flex flex-col gap-2.5">
        {isNew && (
          <TextField
            {...form.field('name')}
            name={<Trans>Name</Trans>}
            hint={t`Two or more parts of a–z, 0–9 and “_”, separated by dots, such as order.paid. It cannot be changed.`}
            required
            autoFocus
            maxLength={EVENT_TYPE_NAME_LENGTH_MAX}
          />
        )}
        <TextField
          {...form.field('description')}
          name={<Trans>When it happens</Trans>}
          hint={t`A sentence for subscribers, such as “An order was paid in full.”`}
          required
          maxLength={1_000}
        />
        <JsonField
          {...form.field('schema')}
          name={<Trans>JSON Schema of the payload (2020-12)</Trans>}
          hint={t`Type object, at most 64 KiB. Events with another payload are refused.`}
          issues={form.issues('schema')}
        />
        {!isNew && (
          <JsonField
            {...form.field('converter')}
            name={<Trans>Converter to the present version (optional)</Trans>}
            hint={t`A list of steps, such as ${CONVERTER_EXAMPLE}. It serves endpoints that are pinned to a release.`}
            rows={4}
            parse={parseConverter}
            issues={form.issues('converter')}
          />
        )}
      </div>
    </Card>
  );
}
