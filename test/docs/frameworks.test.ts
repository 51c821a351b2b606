import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, it } from 'vitest';
import { deliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import { formatSecret, secretKeys } from '../../src/domain/signing/secret.js';
import { ReceiverPrograms } from '../support/receiver-programs.js';

const PAGE = 'docs/verify/frameworks.md';
const secret = formatSecret(Buffer.alloc(33, 'a'));
const body = '{"code":"A/1","brand":"Übersee"}';

interface Framework {
  /** Succeeds where the framework is installed. */
  installed: string[];
  /** Where the code of the page goes, in its order. */
  files: string[];
  /** The file of the language, and where it goes. */
  language: [from: string, to: string];
  /** What every application has besides. */
  application?: Record<string, string>;
  command: (port: string) => string[];
}

const python = ['env', `PYTHONPATH=${resolve('test/compatibility/python')}`, 'PYTHONDONTWRITEBYTECODE=1', 'python3'];

const DJANGO = `import sys
from django.conf import settings
from django.core.management import execute_from_command_line
from django.urls import path

db = {"ENGINE": "django.db.backends.sqlite3", "NAME": "inbox.db"}
csrf = "django.middleware.csrf.CsrfViewMiddleware"
settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="test", ALLOWED_HOSTS=["*"], INSTALLED_APPS=["shop"],
                   DATABASES={"default": db}, MIDDLEWARE=[csrf])
import django
django.setup()
from shop import models, views
models.Inbox._meta.db_table = "inbox"
urlpatterns = [path("webhooks", views.webhooks)]
execute_from_command_line(["manage.py", "runserver", "--noreload", "--skip-checks", sys.argv[1]])
`;

const RAILS = `$LOAD_PATH.unshift("lib")
require "rails"
require "action_controller/railtie"
require "active_record"
begin
  require "rackup/handler/webrick" # from Rack 3 on
rescue LoadError
  require "rack/handler/webrick"
end

ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: "inbox.db")
class Inbox < ActiveRecord::Base; self.table_name = "inbox"; end
class Shop < Rails::Application
  config.eager_load = false
  config.secret_key_base = "test"
  config.hosts.clear
  config.logger = Logger.new($stderr)
  routes.append { post "/webhooks", to: "webhooks#create" }
end
Shop.initialize!
require "./webhooks_controller"
(defined?(Rackup) ? Rackup : Rack)::Handler::WEBrick.run(Shop, Host: "localhost", Port: ARGV[0])
`;

const FRAMEWORKS: Readonly<Record<string, Framework>> = {
  Flask: {
    installed: [...python, '-c', 'import flask'],
    files: ['app.py'],
    language: ['python/hookwright.py', 'hookwright.py'],
    command: (port) => [...python, '-m', 'flask', 'run', '--host', 'localhost', '--port', port],
  },
  Django: {
    installed: [...python, '-c', 'import django'],
    files: ['shop/views.py', 'shop/models.py'],
    language: ['python/hookwright.py', 'shop/hookwright.py'],
    application: { 'shop/__init__.py': '', 'manage.py': DJANGO },
    command: (port) => [...python, 'manage.py', `localhost:${port}`],
  },
  FastAPI: {
    installed: [...python, '-c', 'import fastapi, uvicorn'],
    files: ['app.py'],
    language: ['python/hookwright.py', 'hookwright.py'],
    command: (port) => [...python, '-m', 'uvicorn', 'app:app', '--host', 'localhost', '--port', port],
  },
  Rails: {
    installed: ['ruby', '-e', 'require "rails"; require "active_record"; require "sqlite3"; require "webrick"'],
    files: ['webhooks_controller.rb'],
    language: ['ruby/hookwright.rb', 'lib/hookwright.rb'],
    application: { 'server.rb': RAILS },
    command: (port) => ['ruby', 'server.rb', port],
  },
};

const isInstalled = ([command = '', ...args]: string[]) => spawnSync(command, args).status === 0;

let programs: ReceiverPrograms | undefined;
afterEach(() => programs?.close());

/** The blocks of code in a section of the page; without a heading, of the whole page. */
async function codeOf(heading?: string): Promise<string[]> {
  const page = await readFile(PAGE, 'utf8');
  const text = heading === undefined ? page : page.split(/^## /m).find((part) => part.startsWith(`${heading}\n`))!;
  return [...text.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
}

/** A delivery as the service sends it. */
function sent(id: number, at = new Date(), signedWith = secret) {
  const { headers } = deliveryRequest({
    deliveryId: id,
    eventType: 'coupon.applied',
    body,
    keys: { current: secretKeys(signedWith), previous: null },
    at,
    headerPrefix: 'X-Service',
    standardWebhooks: true,
    userAgent: 'Hookwright/1',
  });
  return { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
}

// A CI that lacks a framework fails, so that none is left out unnoticed.
it.for(Object.entries(FRAMEWORKS))(
  'the receiver of docs/verify in %s takes a genuine delivery once, and refuses others',
  { timeout: 120_000 },
  async (
    [
      name,
      {
        installed,
        files,
        language: [from, to],
        application = {},
        command,
      },
    ],
    { skip },
  ) => {
    skip(process.env['CI'] !== 'true' && !isInstalled(installed), 'CONTRIBUTING.md, "Code for receivers"');
    programs = await ReceiverPrograms.openEmpty();
    const code = await codeOf(name);
    expect(code).toHaveLength(files.length);
    await programs.copy(join('docs/verify', from), to);
    const written = { ...application, ...Object.fromEntries(files.map((file, index) => [file, code[index]!])) };
    for (const [file, text] of Object.entries(written)) {
      await programs.write(file, text);
    }
    const database = new DatabaseSync(join(programs.folder, 'inbox.db'));
    database.exec((await codeOf())[0]!);
    const { url, printed } = await programs.serve('env', command, secret);
    const statusOf = async (request: RequestInit) => (await fetch(`${url}/webhooks`, request)).status;

    expect(await statusOf(sent(4711)), printed()).toBe(204);
    expect(await statusOf(sent(4711)), printed()).toBe(204);
    expect(await statusOf({ ...sent(4712), body: body.replace('A/1', 'A/2') })).toBe(401);
    expect(await statusOf(sent(4713, new Date(Date.now() - 310_000)))).toBe(401);
    expect(await statusOf(sent(4714, new Date(), formatSecret(Buffer.alloc(33, 'b'))))).toBe(401);
    expect(await statusOf({ method: 'POST', body })).toBe(401);
    const row = { delivery: '4711', event: 'coupon.applied', body };
    expect(database.prepare('select * from inbox').all()).toEqual([expect.objectContaining(row)]);
    database.close();
  },
);
