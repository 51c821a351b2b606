import type { ReactNode } from 'react';

/** One of few choices, each with a name and what it means. */
export interface ChoiceOption<Value extends string> {
  value: Value;
  name: ReactNode;
  hint: ReactNode;
}

/** A question with all of its answers in words. @param name unique in the form */
export function Choices<Value extends string>({
  question,
  name,
  value,
  options,
  onChange,
}: {
  question: ReactNode;
  name: string;
  value: Value;
  options: readonly ChoiceOption<Value>[];
  onChange: (value: Value) => void;
}) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-sm">{question}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          className="flex items-start gap-2.5 rounded-md border border-line-strong px-3 py-2 text-sm has-checked:border-accent has-checked:bg-accent-soft"
        >
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
            className="mt-0.5 size-3.5 shrink-0 accent-accent"
          />
          <span>
            <span className="block font-medium">{option.name}</span>
            <span className="block text-xs text-soft">{option.hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
