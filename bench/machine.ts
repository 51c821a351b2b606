import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';

/** Where figures were measured. */
export interface Machine {
  cores: number;
  cpuModel: string;
  memoryGiB: number;
  platform: string;
  nodeVersion: string;
  /** Load of the last minute: shows other work on the machine. */
  loadAverage: number;
}

export function describeMachine(): Machine {
  return {
    cores: availableParallelism(),
    cpuModel: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGiB: totalmem() / 2 ** 30,
    platform: `${process.platform}-${process.arch}`,
    nodeVersion: process.versions.node,
    loadAverage: loadavg()[0] ?? 0,
  };
}
