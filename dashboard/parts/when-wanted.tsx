import { type ComponentType, lazy, Suspense, useState } from 'react';
import { laterScript } from '../api/scripts';

/**
 * A part that is loaded when it is first wanted, and stays then: what a first screen does not show, it does not load.
 *
 * @param load imports the part.
 */
export function whenWanted<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): (props: Props & { wanted: boolean }) => React.ReactNode {
  const Part = lazy(laterScript(load)) as unknown as ComponentType<Props>;
  return function WhenWanted({ wanted, ...props }) {
    const [loaded, setLoaded] = useState(wanted);
    if (wanted && !loaded) {
      setLoaded(true);
    }
    return (
      loaded && (
        <Suspense fallback={null}>
          <Part {...(props as unknown as Props)} />
        </Suspense>
      )
    );
  };
}
