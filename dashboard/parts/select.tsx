import { ChevronDown } from 'lucide-react';
import { plainUntrusted } from './untrusted';

/** One of few values, with a text for screen readers. */
export interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly { value: Value; name: string; hint?: string | undefined }[];
  onChange: (value: Value) => void;
}

/** One of few values. A filter has an option such as "Any state" for none. The browser's own: phones know it best. */
export function Select<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <span className="relative inline-flex max-w-64 min-w-0">
      <select
        aria-label={label}
        value={value}
        onChange={({ target }) => onChange(target.value as Value)}
        className="h-7.5 w-full min-w-0 appearance-none truncate rounded-md border border-line-strong bg-surface ps-2.5 pe-7 text-sm hover:bg-sunken"
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {plainUntrusted(option.name)}
          </option>
        ))}
      </select>
      <ChevronDown aria-hidden className="pointer-events-none absolute end-2 top-2 size-3.5 text-faint" />
    </span>
  );
}
