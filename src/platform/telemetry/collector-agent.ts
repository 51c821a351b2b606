import type { Agent as HttpAgent } from 'node:http';
import type { Agent, AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { http, https } from '../node/node-http.js';

/** Counted from the end of the first request. */
const CONNECTION_MS_MAX = 60_000;

/**
 * An agent that ends each connection after about a minute, between two requests, so that the name is resolved again.
 * Node's own keeps a connection for as long as it is used.
 *
 * @param protocol `http:` or `https:`
 */
export function collectorAgent(protocol: string, options: AgentOptions): HttpAgent | Agent {
  const agent = protocol === 'http:' ? new http.Agent(options) : new https.Agent(options);
  const keep = agent.keepSocketAlive.bind(agent);
  const keptSince = new WeakMap<Duplex, number>();
  agent.keepSocketAlive = (socket) => {
    const since = keptSince.get(socket) ?? performance.now();
    keptSince.set(socket, since);
    return performance.now() - since < CONNECTION_MS_MAX && keep(socket);
  };
  return agent;
}
