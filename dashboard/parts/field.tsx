import { Select as BaseSelect } from '@base-ui/react/select';
import { Check, ChevronDown } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';

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
    <textarea
      spellCheck={false}
      rows={8}
      {...props}
      className={`${BOX} p-2.5 font-mono text-xs leading-relaxed`}
    />
  );
}

/** One of few values. `undefined` is not among them: a filter has an option such as "Any". */
export function Select<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  /** For readers; stands before the value where `prefix` shows it. */
  label: string;
  value: Value;
  options: readonly { value: Value; name: ReactNode }[];
  onChange: (value: Value) => void;
}) {
  return (
    <BaseSelect.Root
      items={options.map(({ value, name }) => ({ value, label: name }))}
      value={value}
      onValueChange={(next) => next !== null && onChange(next)}
    >
      <BaseSelect.Trigger
        aria-label={label}
        className="inline-flex h-7.5 max-w-64 items-center gap-1.5 rounded-md border border-line-strong bg-surface pr-1.5 pl-2.5 text-sm hover:bg-sunken"
      >
        <BaseSelect.Value className="truncate" />
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-faint" />
      </BaseSelect.Trigger>
      <BaseSelect.Portal>
        <BaseSelect.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-20">
          <BaseSelect.Popup className="max-h-80 min-w-(--anchor-width) overflow-auto rounded-lg border border-line bg-raised p-1 shadow-xl">
            {options.map((option) => (
              <BaseSelect.Item
                key={option.value}
                value={option.value}
                className="flex h-7 cursor-default items-center justify-between gap-6 rounded-md px-2 text-sm outline-none data-highlighted:bg-sunken"
              >
                <BaseSelect.ItemText>{option.name}</BaseSelect.ItemText>
                <BaseSelect.ItemIndicator>
                  <Check aria-hidden className="size-3.5 text-accent" />
                </BaseSelect.ItemIndicator>
              </BaseSelect.Item>
            ))}
          </BaseSelect.Popup>
        </BaseSelect.Positioner>
      </BaseSelect.Portal>
    </BaseSelect.Root>
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
