import type { AgentOptions } from '../../src/agent/options.js';
import { type Agent, agentWith } from './agent.js';
import { configFor, type Target } from './targets.js';

/** An agent sandbox on a target. */
export function agentOn(target: Target, options: Partial<AgentOptions> = {}): Promise<Agent> {
  return agentWith({ mode: 'best-effort', ...options, config: configFor(target, options.config) });
}
