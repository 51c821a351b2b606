import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { runHere } from '../support/command.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { OutboxApplication } from '../support/outbox-application.js';
import { runProgram } from '../support/program.js';

test('hookwright outbox grant, list and revoke do what they say', { timeout: 120_000 }, async () => {
  await using stack = await DeliveryStack.open();
  await using shop = await OutboxApplication.open(stack, []);
  const set = {
    DATABASE_URL: stack.databaseUrl,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
  };
  const outbox = async (...words: string[]) => {
    const { output, errors } = await runHere(['outbox', ...words], set);
    return output + errors;
  };
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
  expect(await outbox('grant', 'nobody', '--tenant', '1')).toContain('There is no database role "nobody"');
  const { errors } = await runProgram(['outbox', 'grant', shop.role], set);
  expect(errors).toContain("required option '--tenant <id>' not specified");
});
