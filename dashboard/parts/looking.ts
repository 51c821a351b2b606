import { type PointerEvent, useEffect, useRef } from 'react';

/**
 * Whether somebody looks at what is in an element, which must not move then: the mouse is in it, or it was the last that
 * a finger has touched.
 *
 * @returns the element's properties, and a function that ends it for a finger
 */
export function useLooking(onChange: (looks: boolean) => void) {
  const latest = useRef(onChange);
  latest.current = onChange;
  const touched = useRef<Element>(null);
  const lookAway = () => {
    if (touched.current !== null) {
      touched.current = null;
      latest.current(false);
    }
  };
  useEffect(() => {
    const touchElsewhere = ({ target }: Event) => {
      if (touched.current !== null && !touched.current.contains(target as Node)) {
        touched.current = null;
        latest.current(false);
      }
    };
    document.addEventListener('pointerdown', touchElsewhere);
    return () => document.removeEventListener('pointerdown', touchElsewhere);
  }, []);
  const properties = {
    onPointerEnter: ({ pointerType }: PointerEvent) => pointerType === 'mouse' && latest.current(true),
    onPointerLeave: ({ pointerType }: PointerEvent) => pointerType === 'mouse' && latest.current(false),
    onPointerDown: ({ pointerType, currentTarget }: PointerEvent) => {
      if (pointerType !== 'mouse') {
        touched.current = currentTarget;
        latest.current(true);
      }
    },
  };
  return [properties, lookAway] as const;
}
