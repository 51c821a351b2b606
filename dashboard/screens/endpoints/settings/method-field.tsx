import { useLingui } from '@lingui/react/macro';
import { DELIVERY_METHODS } from '../../../../src/domain/deliveries/delivery-method';
import { Select } from '../../../parts/select';
import { ENDPOINT_FIELDS } from '../../../text/field-names';
import type { Draft } from './draft';

const METHODS = (Object.keys(DELIVERY_METHODS) as Draft['method'][]).map((value) => ({ value, name: value }));

/** The method of requests. */
export function MethodField({
  method,
  onChange,
}: {
  method: Draft['method'];
  onChange: (method: Draft['method']) => void;
}) {
  const { i18n } = useLingui();
  const { name, hint } = ENDPOINT_FIELDS.method;
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{i18n._(name)}</legend>
      <Select label={i18n._(name)} value={method} options={METHODS} onChange={onChange} />
      <p className="mt-1 text-xs text-soft">{i18n._(hint)}</p>
    </fieldset>
  );
}
