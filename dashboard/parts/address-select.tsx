import { useAddress } from './place';
import { type ChoiceProps, Select } from './select';

const ANY = '';

/** A filter with one of few values, which the address keeps as `name`. @param any the option without a filter */
export function AddressSelect({
  name,
  any,
  label,
  options,
}: { name: string; any: string } & Pick<ChoiceProps<string>, 'label' | 'options'>) {
  const [address, setAddress] = useAddress();
  const value = address[name] ?? ANY;
  return (
    <Select
      label={label}
      value={options.some((option) => option.value === value) ? value : ANY}
      onChange={(next) => setAddress({ [name]: next })}
      options={[{ value: ANY, name: any }, ...options]}
    />
  );
}
