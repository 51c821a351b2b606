import type { ChoiceProps } from './select';

/** A choice of two to five, all seen at once: ranges, views. */
export function Segments<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset
      aria-label={label}
      className="inline-flex h-7.5 max-w-full min-w-0 overflow-x-auto rounded-md border border-line-strong bg-surface p-0.5 [scrollbar-width:none]"
    >
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === value}
          title={option.hint}
          onClick={() => onChange(option.value)}
          className="figures rounded-sm px-2 text-xs font-medium whitespace-nowrap text-soft aria-pressed:bg-accent-soft aria-pressed:text-accent hover:text-ink"
        >
          {option.name}
        </button>
      ))}
    </fieldset>
  );
}
