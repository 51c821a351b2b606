import { useRef } from 'react';

/** Keeps the first of equal values of plain data, so that effects and memos that depend on it do not run again. */
export function useStable<T>(value: T): T {
  const stable = useRef(value);
  if (JSON.stringify(stable.current) !== JSON.stringify(value)) {
    stable.current = value;
  }
  return stable.current;
}
