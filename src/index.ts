import type { Context } from './aalis.js';
import { configForm } from './config/form.js';
import { provideSandbox } from './plugin.js';

export type {
  CodeSandboxService,
  ExecResult,
  Logger,
  ProcessService,
  SandboxPolicy,
  SandboxRunRequest,
} from './aalis.js';
export type { Artifact, Omission } from './agent/artifacts.js';
export type { AuditRecord } from './agent/audit.js';
export { createAgentSandbox } from './agent/create.js';
export type { AgentHandle } from './agent/handle.js';
export { RUN_CHANNEL, type Trace } from './agent/journal.js';
export type { AgentOptions } from './agent/options.js';
export type { Access, AgentRequest } from './agent/request.js';
export type { AgentResult } from './agent/result.js';
export type { AgentSandbox } from './agent/sandbox.js';
export type { Config, ConfigInput } from './config/schema.js';
export { type CreateOptions, createCodeSandbox } from './sandbox/create.js';
export type { Diagnosis } from './sandbox/doctor.js';
export { BackendUnavailable, InvalidRequest, RunFailed, SandboxBusy } from './sandbox/errors.js';
export type { RunOptions } from './sandbox/execute.js';
export { RunQueue } from './sandbox/queue.js';
export type { End, RunResult } from './sandbox/result.js';
export type { Selection } from './sandbox/select.js';
export type { CodeSandbox } from './sandbox/service.js';

export const name = 'aalis-plugin-code-sandbox-container';
export const displayName = 'Code sandbox (containers)';
export const subsystem = 'tools';
export const provides = ['code-sandbox'];
export const inject = { required: ['process'], optional: ['doctor'] };
export const configSchema = configForm();

/** Registers the service, whatever the state of the host: without a usable backend it says so and runs nothing. */
export async function apply(ctx: Context, config: unknown): Promise<void> {
  await provideSandbox(ctx, config);
}

export default { name, apply };
