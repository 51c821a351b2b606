import { useEffect, useState } from 'react';

/** A value as it was when it last stayed the same for a while: of a text that somebody types, its state at each pause. */
export function useSettled<Value>(value: Value, forMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), forMs);
    return () => clearTimeout(timer);
  }, [value, forMs]);
  return settled;
}
