import type { CheckResult, Context, DoctorService, ProcessService } from './aalis.js';
import { parseConfig } from './config/parse.js';
import type { ConfigInput } from './config/schema.js';
import { createCodeSandbox } from './sandbox/create.js';
import { type Diagnosis, describeWarm, diagnose, examine } from './sandbox/doctor.js';
import type { CodeSandbox } from './sandbox/service.js';

const SERVICE = 'code-sandbox';

/** Puts the sandbox into Aalis: the service, its label, the doctor's check, and the end of it all. */
export async function provideSandbox(ctx: Context, config: unknown): Promise<void> {
  const logger = ctx.logger.child(SERVICE);
  const process = processOf(ctx);
  const { priority } = parseConfig(config);
  let withdraw = () => {};
  // Aalis reads a label once, so a new one takes a new registration.
  const provide = (sandbox: CodeSandbox) => {
    withdraw();
    withdraw = ctx.provide(SERVICE, sandbox, { priority, label: labelOf(sandbox) });
  };
  const sandbox = await createCodeSandbox(config as ConfigInput, { logger, process, onChange: provide });
  ctx.onDispose(() => sandbox.close(), SERVICE);
  provide(sandbox);
  logger.info(sandbox.available ? `runs go to ${labelOf(sandbox)}` : `nothing can run: ${sandbox.backend}`);
  ctx.whenService<DoctorService>('doctor', doctor => {
    return doctor.registerCheck({
      id: `${SERVICE}.container`,
      category: 'service',
      pluginName: ctx.id,
      run: async () => checkOf(await examine(sandbox)),
    });
  });
}

/** Aalis's own gateway, asked for anew at each call, because a provider may be replaced at any time. */
function processOf(ctx: Context): ProcessService {
  const service = () => {
    const found = ctx.getService<ProcessService>('process');
    if (!found) throw new Error('Aalis has no `process` service; enable @aalis/plugin-process-local.');
    return found;
  };
  return {
    spawn: (cmd, args, options) => service().spawn(cmd, args, options),
    execFile: (cmd, args, options) => service().execFile(cmd, args, options),
  };
}

function labelOf(sandbox: CodeSandbox): string {
  const { label, degraded, available } = diagnose(sandbox.selection);
  if (!available) return 'none';
  return `${label}, ${sandbox.rootName}${degraded ? ', degraded' : ''}`;
}

function describeNetwork(found: NonNullable<Diagnosis['networkAllow']>): string {
  if (typeof found === 'string') return `none: ${found}`;
  const { title, status, evidence, advice } = found;
  return `${title}: ${status} (${evidence[0]})${advice ? `; ${advice}` : ''}`;
}

function checkOf(diagnosis: Diagnosis): CheckResult {
  const { available, degraded, backend, label, guarantees, advice, warm, networkAllow, instead } = diagnosis;
  const weak = guarantees
    .filter(({ status }) => status !== 'enforced')
    .map(({ title, status }) => `${title}: ${status}`);
  return {
    id: `${SERVICE}.container`,
    category: 'service',
    level: available ? (degraded ? 'warn' : 'ok') : 'error',
    message: available ? `Code runs in ${label}` : `No code can run: ${backend}`,
    detail: [
      ...(instead === undefined ? [] : [instead]),
      ...(weak.length + advice.length > 0
        ? [...weak, ...advice]
        : [`All ${guarantees.length} guarantees are enforced.`]),
      ...(networkAllow ? [`Runs with network allow: ${describeNetwork(networkAllow)}`] : []),
      ...(warm ? [describeWarm(warm)] : []),
    ].join('\n'),
  };
}
