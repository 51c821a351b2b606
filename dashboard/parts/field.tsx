import { type ComponentProps, type ReactNode, useId } from 'react';
import { Untrusted } from './untrusted';

const BOX =
  'w-full rounded-md border border-line-strong bg-surface text-sm text-ink placeholder:text-faint aria-invalid:border-bad';

/** A named input, with what it is for and what is wrong with it, both bound to it for readers. */
export function Field({
  name,
  hint,
  error,
  children,
}: {
  name: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  children: (props: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ReactNode;
}) {
  const id = useId();
  const wrong = error !== undefined && error !== null && error !== false && error !== '';
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {name}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': wrong })}
      <p id={`${id}-hint`} className={`mt-1 min-h-4 text-xs ${wrong ? 'text-bad' : 'text-soft'}`}>
        {wrong ? error : hint}
      </p>
    </div>
  );
}

export function TextInput(props: Omit<ComponentProps<'input'>, 'className'>) {
  return <input autoComplete="off" spellCheck={false} {...props} className={`${BOX} h-8 px-2.5`} />;
}

export function TextArea(props: Omit<ComponentProps<'textarea'>, 'className'>) {
  return (
    <textarea spellCheck={false} rows={8} {...props} className={`${BOX} p-2.5 font-mono text-xs leading-relaxed`} />
  );
}

/** A text of a form, with the properties that `useForm` gives its field. */
export function TextField({
  name,
  hint,
  error,
  refusal,
  onChange,
  lines,
  ...input
}: Omit<ComponentProps<'input'>, 'className' | 'name' | 'onChange' | 'value'> & {
  name: ReactNode;
  hint?: ReactNode;
  /** What is wrong with the text already. */
  error?: ReactNode;
  /** The service's message about the text that was sent last. */
  refusal?: string | undefined;
  value: string;
  onChange: (text: string) => void;
  /** It may have several lines. */
  lines?: boolean | undefined;
}) {
  const change = ({ target }: { target: { value: string } }) => onChange(target.value);
  return (
    <Field name={name} hint={hint} error={refusal === undefined ? error : <Untrusted text={refusal} />}>
      {(props) =>
        lines ? (
          <TextArea rows={3} {...props} value={input.value} onChange={change} />
        ) : (
          <TextInput {...input} {...props} onChange={change} />
        )
      }
    </Field>
  );
}

/** The filters of a list. On a phone they are in two columns. */
export function FilterRow({ children }: { children: ReactNode }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2 max-cards:grid max-cards:grid-cols-2 max-cards:*:w-full max-cards:*:max-w-none">
      {children}
    </div>
  );
}

/** A choice of any number of values, a tick for each. */
export function Ticks<Value extends string>({
  name,
  value,
  options,
  onChange,
  refusal,
}: {
  name: ReactNode;
  value: readonly Value[];
  options: readonly { value: Value; words: ReactNode }[];
  onChange: (value: Value[]) => void;
  refusal?: string | undefined;
}) {
  const toggle = (one: Value) =>
    onChange(value.includes(one) ? value.filter((other) => other !== one) : [...value, one]);
  return (
    <fieldset>
      <legend className="mb-1.5 text-sm font-medium">{name}</legend>
      <div className="flex flex-col gap-1.5">
        {options.map((option) => (
          <Tick key={option.value} checked={value.includes(option.value)} onChange={() => toggle(option.value)}>
            {option.words}
          </Tick>
        ))}
        {refusal !== undefined && (
          <p className="text-xs text-bad">
            <Untrusted text={refusal} />
          </p>
        )}
      </div>
    </fieldset>
  );
}

/** A tick with its words beside it. */
export function Tick({ children, ...rest }: Omit<ComponentProps<'input'>, 'className' | 'type'>) {
  return (
    <label className="inline-flex items-start gap-2 text-sm">
      <input type="checkbox" {...rest} className="mt-0.5 size-3.5 shrink-0 accent-accent" />
      <span>{children}</span>
    </label>
  );
}
