import { useLingui } from '@lingui/react/macro';
import { type ReactNode, type Ref, useState } from 'react';
import { locale } from '../text/language';
import { shownTimeOfDay, timeOfDay } from '../text/time-of-day';
import { Field, TextInput } from './field';

/**
 * A day, and a time of it as the person's locale writes it: browsers would write it as their own.
 *
 * @param value such as `2026-11-30T14:30`; empty: none.
 */
export function MomentField({
  name,
  hint,
  error,
  value,
  onChange,
  timeRef,
}: {
  name: string;
  hint?: ReactNode;
  error?: ReactNode;
  value: string;
  onChange: (value: string) => void;
  timeRef?: Ref<HTMLInputElement>;
}) {
  const { t } = useLingui();
  const [day = '', time = ''] = value.split('T');
  const [typed, setTyped] = useState<string>();
  // A text that is being typed stays as long as it means the same time.
  const shown = typed !== undefined && (timeOfDay(typed) ?? time) === time ? typed : shownIn(time);
  const isWrong = typed !== undefined && typed === shown && typed !== '' && timeOfDay(typed) === undefined;
  return (
    <Field name={name} hint={hint} error={isWrong ? t`Enter a time such as ${shownIn('14:30')}.` : error}>
      {(props) => (
        <div className="flex gap-1.5">
          <div className="min-w-0 flex-1">
            <TextInput
              {...props}
              type="date"
              value={day}
              onChange={({ target }) => onChange(target.value === '' ? '' : `${target.value}T${time || '00:00'}`)}
            />
          </div>
          <div className="w-22 shrink-0">
            <TextInput
              ref={timeRef}
              aria-label={t`${name}: time`}
              aria-describedby={props['aria-describedby']}
              aria-invalid={props['aria-invalid']}
              value={shown}
              disabled={day === ''}
              onFocus={({ target }) => target.select()}
              onBlur={() => setTyped(undefined)}
              onChange={({ target }) => {
                setTyped(target.value);
                onChange(`${day}T${timeOfDay(target.value) ?? time}`);
              }}
            />
          </div>
        </div>
      )}
    </Field>
  );
}

const shownIn = (time: string): string => (time === '' ? '' : shownTimeOfDay(time, locale));
