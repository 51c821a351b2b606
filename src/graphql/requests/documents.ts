import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import type { Config } from '../../config.js';
import { BrokenDocument, refusalFrom, refusalOf, withEnumValues } from '../fields/errors.js';
import { documentLimitsRule, type GraphqlLimits } from './document-limits.js';
import { KnownOperation } from './operation.js';

/** What a document takes in memory, measured: graphql-js remembers the place of each token in the text. */
const BYTES_PER_TOKEN = 500;
const BYTES_PER_DOCUMENT = 2_000;
/** Some 400 documents of the usual size. There are two generations. */
const GENERATION_BYTES_MAX = 15 * 1_048_576;

/** Each error of a document costs its search for similar names; nobody reads more. */
const VALIDATION_ERRORS_MAX = 10;

/** A document that was parsed, fits the schema and breaks no limit. */
class KnownDocument {
  readonly #operations: readonly KnownOperation[];
  readonly bytes: number;

  constructor(schema: GraphQLSchema, text: string, document: DocumentNode) {
    this.#operations = document.definitions
      .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
      .map((definition) => new KnownOperation(schema, document, definition));
    const { tokenCount = text.length } = document as { tokenCount?: number };
    this.bytes = BYTES_PER_DOCUMENT + BYTES_PER_TOKEN * tokenCount + text.length;
  }

  /**
   * @param name may be missing where there is only one
   * @throws GraphQLError OPERATION_RESOLUTION_FAILURE
   */
  operation(name: string | null | undefined): KnownOperation {
    const [first] = this.#operations;
    const isOnly = this.#operations.length === 1;
    const found =
      name === undefined || name === null
        ? isOnly && first
        : this.#operations.find(({ definition }) => definition.name?.value === name);
    if (!found) {
      const message =
        typeof name === 'string'
          ? 'The document has no operation of the name that operationName says.'
          : 'The document has several operations: operationName must say which one is meant.';
      throw refusalOf('OPERATION_RESOLUTION_FAILURE', message);
    }
    return found;
  }
}

/**
 * Turns the text of a document into one that may run, and remembers those that may: parsing and judging one takes far
 * longer than most requests. Producers and dashboards send the same few texts over and over.
 *
 * There are two generations. A text that is asked for moves into the younger one; when that is full, it becomes the
 * older one, whose texts are forgotten. So the texts used last are kept, and finding one is a single look into a Map.
 */
export class Documents {
  readonly #limits: GraphqlLimits;
  readonly #rules: readonly ValidationRule[];
  readonly #hideSuggestions: boolean;
  #younger = new Map<string, KnownDocument>();
  #older = new Map<string, KnownDocument>();
  #youngerBytes = 0;

  constructor(
    readonly schema: GraphQLSchema,
    { limits, introspection }: Pick<Config, 'limits' | 'introspection'>,
    private readonly generationBytesMax = GENERATION_BYTES_MAX,
  ) {
    this.#limits = limits.graphql;
    this.#hideSuggestions = !introspection;
    this.#rules = [
      documentLimitsRule(limits.graphql),
      ...specifiedRules,
      ...(introspection ? [] : [noIntrospection]),
    ];
  }

  /** @throws BrokenDocument */
  find(text: string): KnownDocument {
    const known = this.#younger.get(text);
    if (known !== undefined) {
      return known;
    }
    const found = this.#older.get(text) ?? this.#judge(text);
    if (this.#youngerBytes + found.bytes > this.generationBytesMax) {
      this.#older = this.#younger;
      this.#younger = new Map();
      this.#youngerBytes = 0;
    }
    this.#younger.set(text, found);
    this.#youngerBytes += found.bytes;
    return found;
  }

  #judge(text: string): KnownDocument {
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: this.#limits.tokensMax });
    } catch (error) {
      throw new BrokenDocument([refusalFrom(error as GraphQLError, 'GRAPHQL_PARSE_FAILED')]);
    }
    const errors = this.#errorsIn(document);
    if (errors.length > 0) {
      throw new BrokenDocument(
        errors.map((error) =>
          refusalFrom(
            error,
            'GRAPHQL_VALIDATION_FAILED',
            this.#hideSuggestions ? error.message : withEnumValues(error.message, this.schema),
          ),
        ),
      );
    }
    return new KnownDocument(this.schema, text, document);
  }

  /** A rule that meets what another one refuses may throw instead of reporting it. */
  #errorsIn(document: DocumentNode): readonly GraphQLError[] {
    try {
      return validate(this.schema, document, this.#rules, {
        maxErrors: VALIDATION_ERRORS_MAX,
        hideSuggestions: this.#hideSuggestions,
      });
    } catch (error) {
      if (error instanceof GraphQLError) {
        return [error];
      }
      throw error;
    }
  }
}

const noIntrospection: ValidationRule = (context) => ({
  Field(node) {
    if (node.name.value === '__schema' || node.name.value === '__type') {
      context.reportError(
        new GraphQLError('Introspection is turned off here: the schema cannot be asked for.', {
          nodes: node,
        }),
      );
    }
  },
});
