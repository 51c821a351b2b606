import icon from '../icon.svg';

/** The name of the product with its sign. */
export function Brand({ large }: { large?: boolean }) {
  return (
    <span
      className={`inline-flex items-center font-semibold tracking-tight ${large ? 'gap-3 text-2xl' : 'gap-2 text-base'}`}
    >
      <img src={icon} alt="" className={large ? 'size-9' : 'size-5.5'} />
      Hookwright
    </span>
  );
}
