import type pg from 'pg';
import { INSTALLATION_NAMED, INSTALLATION_TENANT } from '../domain/installation/installation-tenant.js';
import { type Check, check, failIf, warnIf } from '../operations/doctor/check.js';
import { examineRunningDeliveries, examineRunningServer } from '../operations/doctor/examine.js';
import { judgeCell } from '../operations/doctor/judge-cell.js';
import { judgeMoves } from '../operations/doctor/judge-moves.js';
import { lackOf, missingMigrations, newerThan, unknownMigrations } from '../operations/installation/check-readiness.js';
import { repairFutureTimes } from '../operations/installation/future-times.js';
import { repairIgnoredFilters } from '../operations/installation/ignored-filters.js';
import { missingIndexes } from '../operations/installation/install-indexes.js';
import { hasRecipients } from '../operations/notices/due-mails.js';
import { tryEncryptionKeys } from '../operations/secrets/try-encryption-keys.js';
import { tenantsWithoutKey } from '../operations/signing-keys/try-signing-keys.js';
import { openPool } from '../platform/database/database.js';
import { thisProgram } from '../platform/node/this-program.js';
import { type Config, ConfigError, readConfig } from '../platform/settings/config.js';
import { missingForMail } from '../platform/settings/mail-settings.js';
import { withDatabaseUrl } from './database-url.js';
import { keyProblem, readEncryptionKeys } from './encryption-keys.js';
import { examineAddresses } from './examine-address.js';

/** `hookwright doctor`: examines everything; changes nothing without `repair`. Exits with 1 when something fails. */
export async function doctor({ json = false, repair = false }: { json?: boolean; repair?: boolean }): Promise<void> {
  const checks = await examine(process.env, { repair });
  process.stdout.write(json ? `${JSON.stringify({ checks }, null, 2)}\n` : textOf(checks));
  process.exitCode = checks.some(({ status }) => status === 'fail') ? 1 : 0;
}

function textOf(checks: readonly Check[]): string {
  const lines = checks.map(({ name, status, text }) => `${status.padEnd(4)}  ${name}: ${text}`);
  const count = (status: Check['status']) => checks.filter((each) => each.status === status).length;
  return `${lines.join('\n')}\n${count('fail')} failed, ${count('warn')} warned, ${count('ok')} ok\n`;
}

/**
 * @param env the environment that the service is started with
 * @param options.repair first corrects times in the future, and ignored filters
 */
export async function examine(env: NodeJS.ProcessEnv, { repair = false } = {}): Promise<Check[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      throw error;
    }
    return error.message.split('\n').map((problem) => check('settings', 'fail', problem));
  }
  const checks = [judgeSettings(config), ...(await examineAddresses(config))];
  try {
    await withDatabaseUrl(config, async (url) => {
      checks.push(...(await examineDatabase(config, url, repair).catch(examinationFailed)));
    });
  } catch (error) {
    checks.push(check('database', 'fail', (error as Error).message)); // a sentence, with what to do
  }
  return checks;
}

/** Says where secrets come from that are not in the environment, and which values have no effect. */
function judgeSettings({ secretFiles, warnings }: Config): Check {
  const files = Object.entries(secretFiles).map(([name, file]) => `${name} (${file})`);
  const fromFiles = files.length === 0 ? '' : ` From files: ${files.join(', ')}.`;
  const text = `All settings have values that are allowed.${fromFiles}`;
  return warnings.length === 0
    ? check('settings', 'ok', text)
    : check('settings', 'warn', `${text} ${warnings.join('. ')}.`);
}

/** Never shows the url, which has a password in it: a driver's message may name host and user. */
function examinationFailed(error: Error & { code?: string }): Check[] {
  const reason = (error.message || error.code || 'no reason is known').replace(/\.$/, '');
  return [check('database', 'fail', `The database was reached and cannot be examined: ${reason}.`)];
}

/** Warns of missing mail settings only where there are recipients of notices. */
async function examineRecipients({ mail, smtpUrl, mailFrom, publicUrl }: Config, pool: pg.Pool): Promise<Check[]> {
  const missing = missingForMail({ smtpUrl, mailFrom, publicUrl }).join(', ');
  return mail !== null || !(await hasRecipients(pool))
    ? []
    : [check('notices', 'warn', `Recipients of notices get no e-mails: set ${missing} (docs/notices.md).`)];
}

async function examineDatabase(config: Config, url: string, repair: boolean): Promise<Check[]> {
  const pool = openPool(url, 1, () => {});
  try {
    const { clock, checks: ofServer } = await examineRunningServer({ pool, url }, config);
    const checks = [check('database', 'ok', 'The database can be reached.'), ...ofServer];
    const migrated = await examineMigrations(pool);
    checks.push(migrated);
    if (migrated.status === 'fail') {
      return checks;
    }
    if (repair) {
      const [times, filters] = [await repairFutureTimes(pool), await repairIgnoredFilters(pool)];
      checks.push(
        check('repair', 'ok', `Times corrected: ${times}.${filters === 0 ? '' : ` Ignored filters: ${filters}.`}`),
      );
    }
    const { checks: ofDeliveries } = await examineRunningDeliveries(pool, clock, config.embedded);
    checks.push(...(await judgeCell(pool)), ...(await judgeMoves(pool)));
    const ofSettings = [...(await examineKeys(config, pool)), ...(await examineRecipients(config, pool))];
    return [...checks, ...ofSettings, ...ofDeliveries];
  } finally {
    await pool.end();
  }
}

async function examineMigrations(pool: pg.Pool): Promise<Check> {
  const missing = await missingMigrations({ pool });
  if (missing.length > 0) {
    return check('migrations', 'fail', `${lackOf(missing)}. Run: ${thisProgram} migrate`);
  }
  const indexes = await missingIndexes(pool);
  if (indexes.length > 0) {
    const text = `Indexes are missing, so a large installation is slow: ${indexes.join(', ')}. Run: ${thisProgram} migrate`;
    return check('migrations', 'warn', text);
  }
  const unknown = await unknownMigrations({ pool });
  return warnIf(
    unknown.length > 0,
    'migrations',
    `${newerThan(unknown)} Upgrade the processes of this one.`,
    'The database has the newest schema.',
  );
}

/** Whether the encryption keys open the secrets that they protect, key pairs among them. Makes no missing key. */
async function examineKeys(config: Config, pool: pg.Pool): Promise<Check[]> {
  const name = 'encryption keys';
  const keys = await readEncryptionKeys(config).catch((error: Error) => error);
  if (keys instanceof Error) {
    return [check(name, 'fail', keys.message)];
  }
  const tried = await tryEncryptionKeys({ pool }, keys);
  const problems = tried.filter(({ verdict }) => verdict !== 'OPENS').map((key) => keyProblem(config, key));
  const inUse = tried.map(({ kid, tenants }) => `${kid} (tenants: ${tenants})`).join(', ');
  const fine = `The keys in use open what they protect: ${inUse || 'none yet'}.`;
  return [
    failIf(problems.length > 0, name, problems.join(' '), fine),
    judgeSigningKeys(await tenantsWithoutKey({ pool }, keys)),
  ];
}

const SHOWN_MAX = 20;

function judgeSigningKeys(tenants: readonly number[]): Check {
  const named = tenants.map((id) => (id === INSTALLATION_TENANT ? INSTALLATION_NAMED : id));
  const shown = named.slice(0, SHOWN_MAX).join(', ');
  const more = tenants.length > SHOWN_MAX ? ` and ${tenants.length - SHOWN_MAX} more` : '';
  return failIf(
    tenants.length > 0,
    'signing keys',
    `Tenants whose deliveries wait, because their key pair is missing or does not open: ${shown}${more}. Give each another one: rotateSigningKey(input: {inHours: 0}) for that tenant.`,
    'Every key pair that is wanted can sign.',
  );
}
