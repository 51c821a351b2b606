import { Trans, useLingui } from '@lingui/react/macro';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { TextInput, Tick } from '../../../parts/field';
import { Untrusted } from '../../../parts/untrusted';
import { count } from '../../../text/numbers';
import { choiceOf, type OfferedType, type TypeNode, toggleTypes, treeOf } from './event-type-tree';

export const ALL_TYPES = ['*'] as const;

/** Chooses event types from a tree, or `*` for all, later ones included. */
export function EventTypePicker({
  types,
  value,
  onChange,
  all: allWords,
}: {
  types: readonly OfferedType[];
  value: readonly string[];
  onChange: (names: string[]) => void;
  /** The meaning of `*` here, if it is not "every type, later ones included". */
  all?: ReactNode;
}) {
  const { t } = useLingui();
  const [search, setSearch] = useState('');
  const nodes = useMemo(() => treeOf(types, search), [types, search]);
  const all = value.includes('*');
  const chosen = useMemo(() => new Set(value), [value]);
  const change = (next: ReadonlySet<string>) => onChange([...next].toSorted());
  // Taking the tick of "all" away brings back what was chosen before it.
  const before = useRef<string[]>([]);
  return (
    <fieldset className="overflow-hidden rounded-md border border-line-strong">
      <legend className="sr-only">
        <Trans>Event types</Trans>
      </legend>
      <div className="border-b border-line bg-sunken px-3 py-2">
        <Tick
          checked={all}
          onChange={({ target }) => {
            if (target.checked) {
              before.current = [...value];
            }
            onChange(target.checked ? [...ALL_TYPES] : before.current);
          }}
        >
          {allWords ?? (
            <>
              <span className="font-medium">
                <Trans>
                  All events <code className="font-mono text-xs">*</code>
                </Trans>
              </span>{' '}
              <span className="text-soft">
                <Trans>also of types that are added later</Trans>
              </span>
            </>
          )}
        </Tick>
      </div>
      {!all && (
        <>
          <div className="flex items-center gap-3 border-b border-line p-2">
            <TextInput
              type="search"
              aria-label={t`Search event types`}
              placeholder={t`Search event types`}
              value={search}
              onChange={({ target }) => setSearch(target.value)}
            />
            <span className="figures text-xs whitespace-nowrap text-soft">
              <Trans>{count(chosen.size)} chosen</Trans>
            </span>
          </div>
          <div className="max-h-80 overflow-auto px-3 py-1.5">
            {nodes.length === 0 && (
              <p className="py-3 text-sm text-soft">
                <Trans>No event type has these words.</Trans>
              </p>
            )}
            <Nodes nodes={nodes} chosen={chosen} onChange={change} />
          </div>
        </>
      )}
    </fieldset>
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
                <Untrusted text={node.description} />
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
