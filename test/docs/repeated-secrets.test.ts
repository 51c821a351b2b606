import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';
import { HIDDEN, withoutSecrets } from '../../src/domain/deliveries/redact.js';

const SECRET = 'pä/ss+wo=rd & <"q\'uote">\\z';
const folder = mkdtempSync(join(tmpdir(), 'hookwright-writers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

/** Programs that print their argument, a line for each way that their language has of writing it. */
const WRITERS: Readonly<Record<string, () => string[]>> = {
  PHP: () => [
    'php',
    '-r',
    'foreach ([json_encode($argv[1]), json_encode($argv[1], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE), json_encode($argv[1], JSON_HEX_TAG | JSON_HEX_AMP | JSON_HEX_APOS | JSON_HEX_QUOT), htmlspecialchars($argv[1]), urlencode($argv[1]), rawurlencode($argv[1]), base64_encode($argv[1]), print_r([$argv[1]], true)] as $line) echo $line, "\n";',
    '--',
  ],
  Python: () => [
    'python3',
    '-c',
    'import base64, html, json, sys, urllib.parse as u\ns = sys.argv[1]\nprint(json.dumps(s), json.dumps(s, ensure_ascii=False), html.escape(s), u.quote(s), u.quote_plus(s), repr(s), s.encode(), base64.b64encode(s.encode()).decode(), base64.urlsafe_b64encode(s.encode()).decode(), sep="\\n")',
  ],
  Ruby: () => [
    'ruby',
    '-rjson',
    '-rcgi',
    '-rerb',
    '-ruri',
    '-rbase64',
    '-e',
    's = ARGV[0].dup.force_encoding("UTF-8"); puts s.to_json, JSON.generate(s, ascii_only: true), JSON.generate(s, script_safe: true), CGI.escapeHTML(s), ERB::Util.html_escape(s), CGI.escape(s), URI.encode_www_form_component(s), s.inspect, Base64.strict_encode64(s), Base64.urlsafe_encode64(s)',
    '--',
  ],
  Go: () => [
    'go',
    'run',
    file(
      'main.go',
      'package main\nimport ("encoding/base64"; "encoding/json"; "fmt"; "html"; "html/template"; "net/url"; "os")\nfunc main() { s := os.Args[1]; j, _ := json.Marshal(s); fmt.Printf("%s\\n%s\\n%s\\n%s\\n%s\\n%s\\n%q\\n%+q\\n%s\\n", j, html.EscapeString(s), template.HTMLEscapeString(s), template.JSEscapeString(s), url.QueryEscape(s), url.PathEscape(s), s, s, base64.StdEncoding.EncodeToString([]byte(s))) }\n',
    ),
  ],
  Java: () => [
    'java',
    '-Dsun.jnu.encoding=UTF-8',
    '-Dfile.encoding=UTF-8',
    '-Dstdout.encoding=UTF-8',
    file(
      'Writer.java',
      "import java.net.*; import java.util.*; import static java.nio.charset.StandardCharsets.UTF_8;\npublic class Writer { public static void main(String[] args) { String s = new String(Base64.getDecoder().decode(args[0]), UTF_8); System.out.println(URLEncoder.encode(s, UTF_8)); System.out.println(Base64.getEncoder().encodeToString(s.getBytes(UTF_8))); System.out.println(Base64.getUrlEncoder().withoutPadding().encodeToString(s.getBytes(UTF_8))); StringBuilder gson = new StringBuilder(); for (char c : s.toCharArray()) { if (c == '\"' || c == '\\\\') gson.append('\\\\').append(c); else if (\"<>&='\".indexOf(c) >= 0) gson.append(String.format(\"\\\\u%04x\", (int) c)); else gson.append(c); } System.out.println(gson); } }\n",
    ),
  ],
  Node: () => [
    process.execPath,
    '-e',
    'const s = process.argv[1]; console.log([JSON.stringify(s), JSON.stringify(JSON.stringify(s)), encodeURIComponent(s), encodeURI(s), new URLSearchParams({ s }).toString(), require("util").inspect([s]), require("querystring").escape(s), Buffer.from(s).toString("base64"), Buffer.from("user:" + s).toString("base64url")].join("\\n"))',
    '--',
  ],
};

const has = ([command = '']: string[]) => spawnSync('which', [command]).status === 0;

// A CI that lacks a tool fails, so that none is left out unnoticed.
test.each(Object.entries(WRITERS).filter(([, command]) => process.env['CI'] === 'true' || has(command())))(
  'a secret that %s has written into an answer is hidden',
  { timeout: 60_000 },
  (language, command) => {
    const [program = '', ...args] = command();
    const given = language === 'Java' ? Buffer.from(SECRET).toString('base64') : SECRET;
    const { stdout, stderr, status } = spawnSync(program, [...args, given], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    const body = Buffer.from(stdout);
    const result = {
      kind: 'response',
      statusCode: 200,
      headers: {},
      body,
      bodyTruncated: false,
    } as unknown as SendResult;
    const shown = (withoutSecrets(result, [SECRET]) as { body: Buffer }).body.toString();
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(3);
    const left = shown
      .trimEnd()
      .split('\n')
      .filter((line) => line.trim() !== '' && !/^(Array|[()])/.test(line.trim()));
    expect(left.filter((line) => !line.includes(HIDDEN))).toEqual([]);
  },
);
