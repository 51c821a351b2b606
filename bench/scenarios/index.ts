import type { Scenario } from '../scenario.js';
import { backlog } from './backlog.js';
import { batch } from './batch.js';
import { bulk } from './bulk.js';
import { cold } from './cold.js';
import { common } from './common.js';
import { dashboard } from './dashboard.js';
import { dead } from './dead.js';
import { dearest } from './dearest.js';
import { drain } from './drain.js';
import { erasing } from './erasing.js';
import { explorer } from './explorer.js';
import { fanout } from './fanout.js';
import { fanoutNoisy } from './fanout-noisy.js';
import { filtered } from './filtered.js';
import { herd } from './herd.js';
import { isolation } from './isolation.js';
import { keys } from './keys.js';
import { large } from './large.js';
import { latency } from './latency.js';
import { limited } from './limited.js';
import { memory } from './memory.js';
import { mixture } from './mixture.js';
import { near } from './near.js';
import { noisy } from './noisy.js';
import { ordered } from './ordered.js';
import { paced } from './paced.js';
import { reload } from './reload.js';
import { restart } from './restart.js';
import { settling } from './settling.js';
import { slow } from './slow.js';
import { spell } from './spell.js';
import { split } from './split.js';
import { stall } from './stall.js';
import { start } from './start.js';
import { throughput } from './throughput.js';

/** Every scenario, in the order in which `npm run bench -- all` runs them. */
export const scenarios: readonly Scenario[] = [
  throughput,
  latency,
  cold,
  common,
  filtered,
  batch,
  fanout,
  drain,
  erasing,
  isolation,
  noisy,
  fanoutNoisy,
  herd,
  mixture,
  near,
  ordered,
  settling,
  paced,
  dearest,
  slow,
  spell,
  reload,
  restart,
  stall,
  dead,
  limited,
  bulk,
  backlog,
  split,
  explorer,
  large,
  dashboard,
  memory,
  start,
  keys,
];

/** The default of `npm run bench`: a minute and a half together. */
export const defaultScenarios: readonly Scenario[] = [throughput, latency];
