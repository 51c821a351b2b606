import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from './button';
import { filterOf, openFilterOf, SpanFields, spanOf } from './time-span';

export interface TimeFormProps {
  since: string | undefined;
  until: string | undefined;
  /** Whether it must have a beginning. */
  required?: boolean;
  action: ReactNode;
  /** Both in ISO 8601. */
  onChosen: (times: { since: string | undefined; until: string | undefined }) => void;
}

/** Asks for a time from one moment until another one. */
export function TimeForm({ since, until, required = false, action, onChosen }: TimeFormProps) {
  const [span, setSpan] = useState(() => spanOf({ since, until }));
  const times: { since?: string; until?: string } | undefined = (required ? filterOf : openFilterOf)(span);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (times !== undefined) {
      onChosen({ since: times.since, until: times.until });
    }
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <SpanFields span={span} onChange={setSpan} open={!required} />
      <Button type="submit" look="primary" disabled={times === undefined}>
        {action}
      </Button>
    </form>
  );
}
