import { expect, test } from 'vitest';
import { NamesPulse } from '../../daemon/sending/names-pulse.js';

type Answer = 'ADDRESS' | 'ABSENT' | 'NOTHING' | 'SILENCE';

/** Names of different zones with what their servers answer, and a clock that stands still until it is moved. */
function pulseOf(answers: Record<string, Answer>) {
  const asked: string[] = [];
  const clock = { ms: 0 };
  const resolve = (name: string): Promise<boolean> => {
    asked.push(name);
    switch (answers[name]) {
      case 'SILENCE':
        return new Promise(() => {});
      case 'NOTHING':
        return Promise.reject(new Error('SERVFAIL'));
      default:
        return Promise.resolve(answers[name] === 'ADDRESS');
    }
  };
  const pulse = new NamesPulse(resolve, () => clock.ms);
  for (const name of Object.keys(answers)) {
    pulse.resolved(name);
  }
  clock.ms += 60_000;
  return { pulse, asked, clock };
}

test('names are gone when none of the others resolves, and for some seconds after', async () => {
  const answers: Record<string, Answer> = { 'a.one.example': 'NOTHING', 'b.two.example': 'NOTHING' };
  const { pulse, clock } = pulseOf(answers);
  expect(await pulse.gone('c.three.example')).toBe(true);
  answers['a.one.example'] = 'ADDRESS';
  clock.ms += 4_000;
  expect(await pulse.gone('c.three.example')).toBe(true);
  clock.ms += 2_000;
  expect(await pulse.gone('c.three.example')).toBe(false);
});

test('however many names fail, those of others are asked for once a second', async () => {
  const { pulse, asked, clock } = pulseOf({ 'a.one.example': 'ADDRESS', 'b.two.example': 'ADDRESS' });
  for (let n = 0; n < 100; n += 1) {
    expect(await pulse.gone(`${n}.broken.test`)).toBe(false);
  }
  expect(asked).toEqual(['a.one.example', 'b.two.example']);
  clock.ms += 1_001;
  await pulse.gone('x.broken.test');
  expect(asked).toHaveLength(4);
});

test('a zone whose servers are silent keeps nobody waiting while another one resolves', async () => {
  const { pulse } = pulseOf({ 'a.one.example': 'SILENCE', 'b.two.example': 'ADDRESS' });
  expect(await pulse.gone('c.three.example')).toBe(false);
});

test('servers that say a name is there no more are servers that answer; it is not asked for again', async () => {
  const { pulse, asked, clock } = pulseOf({ 'a.one.example': 'ABSENT', 'b.two.example': 'NOTHING' });
  expect(await pulse.gone('c.three.example')).toBe(false);
  clock.ms += 10_000;
  expect(await pulse.gone('c.three.example')).toBe(true);
  expect(asked).toEqual(['a.one.example', 'b.two.example', 'b.two.example']);
});

test('the zone that fails says nothing of itself, and without others nobody can tell', async () => {
  const { pulse, asked } = pulseOf({ 'a.one.example': 'NOTHING' });
  expect(await pulse.gone('b.one.example')).toBe(false);
  expect(asked).toEqual([]);
});

test('after an hour in which no name resolved, one that fails is to blame', async () => {
  const { pulse, clock } = pulseOf({ 'a.one.example': 'NOTHING', 'b.two.example': 'NOTHING' });
  clock.ms += 3_600_000;
  expect(await pulse.gone('c.three.example')).toBe(false);
});
