import { z } from 'zod';
import { visibleText } from '../../domain/text/visible-text.js';

const NAME_LENGTH_MAX = 200;

/** The name of a tenant or a key; spaces at the ends and invisible characters are left out. */
export const displayName = z
  .string()
  .overwrite(visibleText)
  .trim()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX, `must have at most ${NAME_LENGTH_MAX} characters`)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters, nor halves of characters');
