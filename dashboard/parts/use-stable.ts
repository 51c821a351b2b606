import { useRef } from 'react';

/** Of several equal values of plain data the first one: effects and memos that depend on it do not run again. */
export function useStable<T>(value: T): T {
  const stable = useRef(value);
  if (JSON.stringify(stable.current) !== JSON.stringify(value)) {
    stable.current = value;
  }
  return stable.current;
}
