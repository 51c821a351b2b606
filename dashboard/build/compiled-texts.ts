import { compileMessage } from '@lingui/message-utils/compileMessage';
import type { Plugin } from 'vite';

/** A text with its id, as the macros of Lingui leave it in the code. */
const TEXT = /(\bid: "[\w-]{6}",\s*message: )("(?:[^"\\]|\\.)*")/g;

/** Compiles the English texts, which stay in the code: no page needs the parser of messages. */
export function compiledTexts(): Plugin {
  return {
    name: 'compiled-texts',
    enforce: 'post', // after the macros
    transform: {
      filter: { id: { include: /\.tsx?$/ }, code: 'message: "' },
      handler: (code) => ({
        code: code.replace(TEXT, (_all, before: string, text: string) => {
          const compiled = compileMessage(JSON.parse(text) as string);
          const [only] = compiled;
          return before + JSON.stringify(compiled.length === 1 && typeof only === 'string' ? only : compiled);
        }),
        map: null,
      }),
    },
  };
}
