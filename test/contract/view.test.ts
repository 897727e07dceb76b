import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { python } from '../support/request.js';
import { configFor, direct, type Target, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

/** What a program sees of itself: status, limits, devices, mounts with whether they take writes. */
const LOOK = `
import json, os, re
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
keys = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb', 'NoNewPrivs', 'Seccomp']
mounts = {}
for line in open('/proc/self/mountinfo'):
    left, right = line.split(' - ')
    target, flags = left.split()[4:6]
    kind, _, over = right.split()[:3]
    # A layer of the engine's, or a folder.
    mounts[target] = [kind if target != '/' else 'root', 'ro' in flags.split(',') or 'ro' in over.split(',')]
print(json.dumps({
    'status': {key: status[key].strip() for key in keys},
    'limits': {line[:26].strip(): line[26:].split()[:2] for line in open('/proc/self/limits')
               if re.match('Max (core|open|file)', line)},
    'devices': sorted(set(os.listdir('/dev')) - {'console', 'core', 'pts'}),
    'root': sorted(set(os.listdir('/')) - {'.dockerenv', 'run'}),
    'mounts': mounts,
    'umask': oct(os.umask(0)),
    'host': os.uname().nodename,
}))`;

/**
 * What runtimes and engines do each in their own way, and what the probe and the attacks judge by itself: how parts of
 * /proc and /sys are hidden, device nodes that are binds in a user namespace, the view of the cgroup tree, an engine's mark,
 * terminals (Docker has none for uid 0, since its /dev is covered).
 */
const OWN_WAY =
  /^\/(proc|sys)\/|^\/run\/(.containerenv|secrets)$|^\/dev\/(full|null|random|tty|urandom|zero|console|pts)$/;

interface View {
  mounts: Record<string, [type: string, readOnly: boolean]>;
}

const engines = targets.filter(({ kind }) => kind === 'docker' || kind === 'podman');

describe.skipIf(!direct).each(engines)('a container without an engine', (engine: Target) => {
  let sandbox: CodeSandbox;
  const look = async (from: CodeSandbox): Promise<View> => {
    using work = workspace();
    const { stdout } = await python(from, LOOK, { policy: { fsWrite: [work.path] } });
    const view = JSON.parse(stdout.replaceAll(work.path, '/work')) as View;
    const mounts = Object.entries(view.mounts).filter(([target]) => !OWN_WAY.test(target));
    return { ...view, mounts: Object.fromEntries(mounts) };
  };
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(direct!));
  });
  afterAll(() => sandbox.close());

  test(`looks from inside as one of ${engine.name}`, async () => {
    await using other = await createCodeSandbox(configFor(engine));
    expect(await look(sandbox)).toEqual(await look(other));
  });
});
