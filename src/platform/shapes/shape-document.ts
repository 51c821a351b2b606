import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  Kind,
  Lexer,
  OperationTypeNode,
  parse,
  Source,
  type Token,
  TokenKind,
  visit,
} from 'graphql';

/** A shape has this many fields, with its fragments written out; and its text has as many, and as many fragments. */
export const FIELDS_MAX = 200;
/** Levels of fields below `event`. */
export const DEPTH_MAX = 10;
/** Names are repeated in messages and results. */
const NAME_CHARS_MAX = 200;
/** The braces of the subscription, of `event`, of the levels, and of inline fragments between them. */
const BRACES_MAX = 3 * DEPTH_MAX;

const refusedTokens: ReadonlyMap<TokenKind, string> = new Map([
  [TokenKind.DOLLAR, 'A shape has no variables.'],
  [TokenKind.BRACKET_L, 'A shape has no lists.'],
  [TokenKind.STRING, 'A shape has no texts.'],
  [TokenKind.BLOCK_STRING, 'A shape has no texts.'],
  [TokenKind.INT, 'A shape has no numbers.'],
  [TokenKind.FLOAT, 'A shape has no numbers.'],
]);

/** Reads a shape whose form is good: the names in it may be wrong. @throws GraphQLError with its location */
export function readDocument(text: string): DocumentNode {
  const source = new Source(text);
  checkTokens(source);
  const document = parse(source);
  checkSize(document);
  checkOperation(document);
  return document;
}

/** Runs before the parser, which goes one call deeper for each brace. */
function checkTokens(source: Source): void {
  const lexer = new Lexer(source);
  let braces = 0;
  const refuse = (token: Token, message: string) => new GraphQLError(message, { source, positions: [token.start] });
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    const refusal = refusedTokens.get(token.kind);
    if (refusal !== undefined) {
      throw refuse(token, refusal);
    }
    if (token.kind === TokenKind.NAME && token.value.length > NAME_CHARS_MAX) {
      throw refuse(token, `The name is longer than ${NAME_CHARS_MAX} characters.`);
    }
    braces += token.kind === TokenKind.BRACE_L ? 1 : token.kind === TokenKind.BRACE_R ? -1 : 0;
    if (braces > BRACES_MAX) {
      throw refuse(token, `The fields are more than ${DEPTH_MAX} levels deep.`);
    }
  }
}

function checkSize(document: DocumentNode): void {
  const counts = { fields: 0, fragments: 0 };
  const count = (what: keyof typeof counts) => (node: ASTNode) => {
    counts[what] += 1;
    if (counts[what] > FIELDS_MAX) {
      throw new GraphQLError(`A shape has at most ${FIELDS_MAX} ${what}.`, { nodes: node });
    }
  };
  visit(document, {
    Field: count('fields'),
    InlineFragment: count('fragments'),
    FragmentSpread: count('fragments'),
    FragmentDefinition: count('fragments'),
  });
}

function checkOperation(document: DocumentNode): void {
  const other = document.definitions.find(
    ({ kind }) => kind !== Kind.FRAGMENT_DEFINITION && kind !== Kind.OPERATION_DEFINITION,
  );
  const operations = document.definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  const [operation, second] = operations;
  const misplaced = other ?? second ?? (operation === undefined ? document.definitions[0] : undefined);
  if (operation === undefined || misplaced !== undefined || operation.operation !== OperationTypeNode.SUBSCRIPTION) {
    const message = 'A shape is one subscription, such as "subscription { event { id type } }", and its fragments.';
    throw new GraphQLError(message, { nodes: misplaced ?? operation! });
  }
  const [first, next] = operation.selectionSet.selections;
  const message = 'A shape has one field at its top, without a condition: "event".';
  if (next !== undefined || !isEvent(first!)) {
    throw new GraphQLError(message, { nodes: next ?? first! });
  }
}

const isEvent = (node: ASTNode): node is FieldNode =>
  node.kind === Kind.FIELD &&
  node.name.value === 'event' &&
  node.selectionSet !== undefined &&
  node.directives?.length === 0;
