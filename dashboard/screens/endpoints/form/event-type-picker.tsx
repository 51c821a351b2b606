import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { INSTALLATION_TENANT } from '../../../../src/domain/installation/installation-tenant';
import { TextInput, Tick } from '../../../parts/field';
import { Untrusted } from '../../../parts/untrusted';
import { useViewer } from '../../../parts/viewer';
import { count } from '../../../text/numbers';
import { TypeDescription } from '../../event-types/type-description';
import { choiceOf, type OfferedType, type TypeNode, toggleTypes, treeOf } from './event-type-tree';

export const ALL_TYPES = ['*'] as const;

interface PickerProps {
  types: readonly OfferedType[];
  value: readonly string[];
  onChange: (names: string[]) => void;
}

/** Chooses event types from trees, or `*` for all, later ones included. */
export function EventTypePicker({
  types,
  value,
  onChange,
  all,
}: PickerProps & {
  /** The meaning of `*` here, if it is not "every type, later ones included". */
  all?: ReactNode;
}) {
  const isAll = value.includes('*');
  // Clearing "All events" brings back the choice before it.
  const before = useRef<string[]>([]);
  return (
    <fieldset className="overflow-hidden rounded-md border border-line-strong">
      <legend className="sr-only">
        <Trans>Event types</Trans>
      </legend>
      <div className="border-b border-line bg-sunken px-3 py-2">
        <Tick
          checked={isAll}
          onChange={({ target }) => {
            if (target.checked) {
              before.current = [...value];
            }
            onChange(target.checked ? [...ALL_TYPES] : before.current);
          }}
        >
          {all ?? <AllEvents />}
        </Tick>
      </div>
      {!isAll && <SomeTypes types={types} value={value} onChange={onChange} />}
    </fieldset>
  );
}

function AllEvents() {
  return (
    <>
      <span className="font-medium">
        <Trans>
          All events <code className="font-mono text-xs">*</code>
        </Trans>
      </span>{' '}
      <span className="text-soft">
        <Trans>including types added later</Trans>
      </span>
    </>
  );
}

function SomeTypes({ types, value, onChange }: PickerProps) {
  const { t } = useLingui();
  const isInstallation = useViewer().tenant?.databaseId === INSTALLATION_TENANT;
  const [search, setSearch] = useState('');
  const [own, operational] = useMemo(
    () =>
      [false, true].map((reserved) =>
        treeOf(
          types.filter((type) => (type.reserved ?? false) === reserved),
          search,
        ),
      ),
    [types, search],
  ) as [TypeNode[], TypeNode[]];
  const chosen = useMemo(() => new Set(value), [value]);
  const change = (next: ReadonlySet<string>) => onChange([...next].toSorted());
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line p-2">
        <TextInput
          type="search"
          aria-label={t`Search event types`}
          placeholder={t`Search event types`}
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          // It would submit the form around it.
          onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
        />
        <span className="figures text-xs whitespace-nowrap text-soft">
          <Trans>{count(chosen.size)} selected</Trans>
        </span>
      </div>
      <div className="max-h-80 overflow-auto px-3 py-1.5">
        {own.length + operational.length === 0 && (
          <p className="py-3 text-sm text-soft">
            <Trans>No matching event types</Trans>
          </p>
        )}
        <Nodes nodes={own} chosen={chosen} onChange={change} />
        {operational.length > 0 && (
          <>
            <h3 className="mt-2 mb-0.5 text-xs font-medium text-soft">
              {isInstallation ? <Trans>About the installation</Trans> : <Trans>About your endpoints</Trans>}
            </h3>
            <Nodes nodes={operational} chosen={chosen} onChange={change} />
          </>
        )}
      </div>
    </>
  );
}

interface NodesProps {
  nodes: readonly TypeNode[];
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

function Nodes({ nodes, chosen, onChange }: NodesProps) {
  return (
    <ul>
      {nodes.map((node) =>
        'children' in node ? (
          <li key={`${node.prefix}.`}>
            <Branch {...node} chosen={chosen} onChange={onChange} />
            <div className="ms-1.5 border-s border-line ps-4">
              <Nodes nodes={node.children} chosen={chosen} onChange={onChange} />
            </div>
          </li>
        ) : (
          <li key={node.name} className="py-1">
            <Tick checked={chosen.has(node.name)} onChange={() => onChange(toggleTypes([node], chosen))}>
              <code className="font-mono text-xs font-medium">
                <Untrusted text={node.name} />
              </code>
              {node.deprecatedAt && (
                <span className="ms-2 text-xs text-warn">
                  <Trans>deprecated</Trans>
                </span>
              )}
              <span className="block text-xs text-soft">
                <TypeDescription {...node} />
              </span>
            </Tick>
          </li>
        ),
      )}
    </ul>
  );
}

function Branch({
  prefix,
  types,
  chosen,
  onChange,
}: { prefix: string; types: readonly OfferedType[] } & Omit<NodesProps, 'nodes'>) {
  const choice = choiceOf(types, chosen);
  return (
    <div className="py-1">
      <Tick
        ref={(box) => {
          if (box !== null) {
            box.indeterminate = choice === 'some';
          }
        }}
        checked={choice === 'all'}
        onChange={() => onChange(toggleTypes(types, chosen))}
      >
        <code className="font-mono text-xs font-medium">
          <Untrusted text={prefix} />
        </code>{' '}
        <span className="figures text-xs text-faint">{count(types.length)}</span>
      </Tick>
    </div>
  );
}
