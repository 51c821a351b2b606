import { HIDDEN } from './redact.js';

interface CurlRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** Linux takes 128 KiB for one argument of a program (MAX_ARG_STRLEN). */
const ARGUMENT_BYTES_MAX = 100_000;
/** A terminal acts on these when a command is pasted: DEL rubs out what stands before it. */
const CONTROLS = /(?!\n)\p{Cc}/gu;

/**
 * A command for a POSIX shell that makes a request with exactly these headers and bytes. Headers that curl adds by
 * itself are taken away, and nothing in url, headers or body has a meaning for the shell or for curl. A hidden header
 * is read from a variable, whose name the shell says while it is not set.
 */
export function curlCommand({ method, url, headers, body }: CurlRequest): string {
  const withheld = ['Accept', 'Expect'].filter(
    (name) => !Object.keys(headers).some((given) => given.toLowerCase() === name.toLowerCase()),
  );
  const headerLines = [
    ...Object.entries(headers).map(([name, value]) =>
      value === HIDDEN ? `${quote(`${name}: `)}${variable(name)}` : quote(`${name}: ${value}`),
    ),
    ...withheld.map((name) => quote(`${name}:`)),
  ];
  // Otherwise the body comes through a pipe: printf is built into shells, so its arguments may be of any length.
  const isArgument = Buffer.byteLength(body) <= ARGUMENT_BYTES_MAX && body.search(CONTROLS) === -1;
  const data = isArgument ? `--data-raw ${quote(body)}` : '--data-binary @-';
  const parts = [
    `curl --globoff --request ${method} ${quote(url)}`,
    ...headerLines.map((line) => `--header ${line}`),
    data,
  ];
  return `${isArgument ? '' : `printf ${quote(printfFormat(body))} | `}${parts.join(' \\\n  ')}`;
}

/** `"${X_API_KEY:?…}"` for X-Api-Key. */
const variable = (header: string): string =>
  `"\${${header
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
    .replace(/^(?=\d)/, '_')}:?is the secret of a header}"`;

/** Within single quotes a POSIX shell reads nothing but the closing quote. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** printf's format, in which only % and \ have a meaning; controls become octal escapes. */
function printfFormat(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll('%', '%%')
    .replace(CONTROLS, (control) => OCTAL[control.charCodeAt(0)]!);
}

/** The escape of each control: a body may have a quarter of a million of them. */
const OCTAL: readonly string[] = Array.from({ length: 0xa0 }, (_, code) =>
  [...Buffer.from(String.fromCharCode(code))].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
);
