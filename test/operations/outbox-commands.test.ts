import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { OutboxApplication } from '../support/outbox-application.js';

const run = promisify(execFile);

test('hookwright outbox grant, list and revoke do what they say', { timeout: 120_000 }, async () => {
  await using stack = await DeliveryStack.open();
  await using shop = await OutboxApplication.open(stack, []);
  const environment = {
    PATH: process.env['PATH'],
    DATABASE_URL: stack.databaseUrl,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
  };
  const outbox = async (...words: string[]) =>
    (await run(process.execPath, ['dist/src/main.js', 'outbox', ...words], { env: environment })).stdout;
  const grant = [shop.role, '--tenant', String(stack.tenantId)];
  const emit = () =>
    shop.pool.query(`select * from hookwright.emit(${stack.tenantId}, 'coupon.applied',
                                                   '{"code":"a","discount_type":"b"}')`);

  await expect(emit()).rejects.toMatchObject({ code: '42501' });
  expect(await outbox('grant', ...grant)).toContain('may now emit');
  expect((await emit()).rows).toMatchObject([{ duplicate: false }]);
  expect(await outbox('list')).toMatch(new RegExp(`^${shop.role}\ttenant ${stack.tenantId}\t.*\\+00:00\n$`));
  expect(await outbox('revoke', ...grant)).toContain('can no longer emit');
  await expect(emit()).rejects.toMatchObject({ code: 'HW001' });
  await expect(outbox('grant', 'nobody', '--tenant', '1')).rejects.toThrow('There is no database role "nobody"');
  await expect(outbox('grant', shop.role)).rejects.toThrow("required option '--tenant <id>' not specified");
});
