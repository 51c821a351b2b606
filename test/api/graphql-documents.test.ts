import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { Config } from '../../src/config.js';
import { readConfig } from '../../src/config.js';
import { Documents } from '../../src/graphql/documents.js';
import { BrokenDocument } from '../../src/graphql/errors.js';
import { buildGraphqlSchema } from '../../src/graphql/schema.js';
