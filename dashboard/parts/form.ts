import { type FormEvent, useRef, useState } from 'react';
import type { CombinedError } from 'urql';
import { type Issue, isConflict, issuesOf } from './issues';

interface Answer<Data> {
  data?: Data | undefined;
  error?: CombinedError | undefined;
}

/** What the control of a field gets. */
export interface FieldProps<Value> {
  value: Value;
  onChange: (value: Value) => void;
  /** The service's message about the value that was sent last. */
  refusal: string | undefined;
}

interface Sending {
  /** The same for the same values: a repeated click after a lost answer creates nothing twice. */
  idempotencyKey: string;
  /** The version that the form began with. */
  version: number | undefined;
}

interface Versioned<Values, Stored> {
  stored: Stored;
  read: () => Promise<Stored | null | undefined>;
  valuesOf: (stored: Stored) => Values;
}

/**
 * The state of a form. A refusal by the API shows at its field until the field changes.
 *
 * @param save the mutation. The names of the values are those of its input.
 * @param versioned for a noun with a version, so that nobody's change is overwritten unseen.
 */
export function useForm<Values extends object, Data, Stored extends { version: number } = never>(options: {
  initial: Values | (() => Values);
  save: (values: Values, sending: Sending) => Promise<Answer<Data>>;
  saved?: (data: Data, values: Values) => void;
  versioned?: Versioned<Values, Stored>;
}) {
  const { save, saved, versioned } = options;
  const [values, setValues] = useState(options.initial);
  const [busy, setBusy] = useState(false);
  const [sent, setSent] = useState<Answer<Data> & { values: Values }>();
  const conflict = useConflict(versioned, setValues);
  const repeated = useRef<{ values: Values; key: string }>(undefined);
  const send = async (version: number | undefined) => {
    if (repeated.current?.values !== values) {
      repeated.current = { values, key: newKey() };
    }
    setBusy(true);
    const answer = await save(values, { idempotencyKey: repeated.current.key, version });
    if (isConflict(answer.error)) {
      await conflict.find();
    }
    setBusy(false);
    setSent({ ...answer, values });
    if (answer.data) {
      saved?.(answer.data, values);
    }
  };
  const all = issuesOf(sent?.error);
  const isAtField = ({ path }: Issue) => path[1] !== undefined && path[1] in values;
  /** The broken rules of a field, with paths from the field on. */
  const issues = (name: keyof Values) =>
    sent?.values[name] === values[name]
      ? all.filter(({ path }) => path[1] === name).map((issue) => ({ ...issue, path: issue.path.slice(2) }))
      : [];
  return {
    values,
    busy,
    data: sent?.data,
    /** The refusal, if it belongs to no field. */
    error: (all.length > 0 && all.every(isAtField)) || conflict.found ? undefined : sent?.error,
    issues,
    field: <Name extends keyof Values>(name: Name): FieldProps<Values[Name]> => ({
      value: values[name],
      onChange: (value) => setValues((now) => ({ ...now, [name]: value })),
      refusal: issues(name)[0]?.detail,
    }),
    submit: (event?: FormEvent) => {
      event?.preventDefault();
      void send(conflict.version);
    },
    conflict: conflict.found && {
      ...conflict.found,
      overwrite: () => void send(conflict.resolve().version),
    },
  };
}

/** What somebody else has saved since a form began, and the version that the form goes on from. */
function useConflict<Values, Stored extends { version: number }>(
  versioned: Versioned<Values, Stored> | undefined,
  setValues: (values: Values) => void,
) {
  const [base, setBase] = useState(versioned?.stored);
  const [theirs, setTheirs] = useState<Stored>();
  const resolve = () => {
    setBase(theirs);
    setTheirs(undefined);
    return theirs!;
  };
  return {
    version: base?.version,
    find: async () => setTheirs((await versioned?.read()) ?? undefined),
    resolve,
    found: base && theirs && { base, theirs, take: () => setValues(versioned!.valuesOf(resolve())) },
  };
}

/** `crypto.randomUUID` is missing on pages opened by http. */
const newKey = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join('-');
