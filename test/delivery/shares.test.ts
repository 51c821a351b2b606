import { afterEach, beforeEach, expect, test } from 'vitest';
import { shareLanes } from '../../daemon/duties/lane-shares.js';
import { noneDone } from '../../src/domain/pacing/lanes.js';
import { repeat } from '../../src/platform/concurrency/repeat.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { changeJobs, jobsIn } from '../support/jobs.js';

let stack: DeliveryStack;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  await stack.webhook('https://receiver.example.com/');
  await stack.emit();
  await changeJobs(stack, `priority = 20, run_at = now() - interval '2 seconds'`);
});
afterEach(() => stack[Symbol.asyncDispose]());

const priorities = async () => (await jobsIn(stack)).map(({ priority }) => priority);

/** Shares of a daemon that has made so many first attempts each time it is asked. @returns how often that was, and its end */
function shares(first: number, isFull: boolean) {
  const { db, log } = stack.services;
  const asked = { times: 0 };
  const takeDone = () => {
    asked.times += 1;
    return { ...noneDone(), FIRST: first };
  };
  return { asked, stop: repeat('shares', 250, log, shareLanes({ db }, { takeDone, isFull })) };
}

test.each([
  ['makes many attempts', 100, false],
  ['makes few, since every slot is taken', 13, true],
])('a retry that has waited is raised above first attempts where a daemon %s', async (_, first, isFull) => {
  const { stop } = shares(first, isFull);
  await eventually(async () => (await priorities())[0] === -2);
  await stop();
});

test.each([
  ['while there are free slots and little to do', 5, false],
  ['until there is enough to be shared', 1, true],
])('it is left where it is %s', async (_, first, isFull) => {
  const { asked, stop } = shares(first, isFull);
  await eventually(() => asked.times >= 3);
  await stop();
  expect(await priorities()).toEqual([20]);
});
