import { parseSync } from 'vite';

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof (value as Node | null)?.type === 'string';
const childrenOf = (node: Node): Node[] => Object.values(node).flat().filter(isNode);
const within = (node: Node): Node[] => [node, ...childrenOf(node).flatMap(within)];

/** Without what has no meaning while the program runs: `a!`, `(a as B)`, `(a)`, and `a?.b` around `a.b`. */
function bare(node: Node): Node {
  const wrappers = ['ChainExpression', 'ParenthesizedExpression', 'TSAsExpression', 'TSNonNullExpression'];
  return wrappers.includes(node.type) ? bare(node['expression'] as Node) : node;
}

const textOf = (node: Node): unknown =>
  node.type === 'TemplateLiteral'
    ? (node['quasis'] as { value: { cooked: string } }[])[0]?.value.cooked
    : node['value'];

/**
 * The places that ask for a kind of field, as `line: text`. A syntax tree has no types, so these count, wherever they
 * stand: `….kind`, `…['kind']`, or a name that a pattern gave to a property `kind`,
 *
 * - compared with the word of a kind,
 * - in a `switch` with the word of a kind among its cases,
 * - looked for in a list with the word of a kind, and
 * - as a key that is cast to the word of a kind.
 */
export function kindComparisonsIn(file: string, code: string, kinds: readonly string[]): string[] {
  const nodes = within(parseSync(file, code).program as unknown as Node);
  const names = new Set(nodes.filter(({ type }) => type === 'ObjectPattern').flatMap(namesOfKind));
  const isKind = (given: unknown): boolean => {
    const { type, name, property } = bare(given as Node);
    return type === 'Identifier'
      ? names.has(name)
      : type === 'MemberExpression' && ((property as Node)['name'] ?? textOf(property as Node)) === 'kind';
  };
  const isWord = (given: unknown) => isNode(given) && kinds.includes(textOf(bare(given)) as string);

  const asks = ({ type, ...node }: Node): boolean => {
    switch (type) {
      case 'BinaryExpression':
        return (isKind(node['left']) && isWord(node['right'])) || (isKind(node['right']) && isWord(node['left']));
      case 'SwitchStatement':
        return isKind(node['discriminant']) && (node['cases'] as Node[]).some((one) => isWord(one['test']));
      case 'CallExpression':
        return (node['arguments'] as Node[]).some(isKind) && within(bare(node['callee'] as Node)).some(isWord);
      case 'TSAsExpression':
        return isKind(node['expression']) && within(node['typeAnnotation'] as Node).some(isWord);
      default:
        return false;
    }
  };
  return nodes.filter(asks).map(({ start }) => {
    const line = code.slice(0, start).split('\n').length;
    return `${line}: ${code.split('\n')[line - 1]!.trim()}`;
  });
}

/** The names that a pattern gives to properties `kind`. */
const namesOfKind = (pattern: Node): unknown[] =>
  (pattern['properties'] as Node[])
    .filter(({ key }) => (key as Node | undefined)?.['name'] === 'kind')
    .map(({ value }) => (value as Node)['name'] ?? ((value as Node)['left'] as Node | undefined)?.['name']);
