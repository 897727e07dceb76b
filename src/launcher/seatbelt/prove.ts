import { lstat, mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acceptedRequests } from '../../probe/accepted.js';
import { GUARANTEES } from '../../probe/judge.js';
import { Listeners } from '../../probe/listeners.js';
import type { AcceptedRequest } from '../../probe/observation.js';
import type { ProbeInput } from '../../probe/probe.js';
import type { Guarantee, ProbeReport } from '../../probe/report.js';
import { removeOwned } from '../../reaper/owner-file.js';
import { makeTempFolder } from '../../reaper/temp.js';
import { Collector } from '../../sandbox/collector.js';

/**
 * Attempts with what every macOS has. Arguments: a folder to read, one to write (with `a/fixed` in it, which may only be read),
 * one that is not granted, port, socket, pid.
 */
const SCRIPT = `
try() { name=$1; shift; if "$@" >/dev/null 2>&1; then echo "$name done"; else echo "$name refused"; fi; }
try read-granted cat "$1/file"
try write-granted touch "$2/new"
try write-read-only touch "$1/new"
try write-within touch "$2/a/fixed/new"
try move-around mv "$2/a" "$2/b"
try write-elsewhere touch "$3/new"
try write-tmp touch /private/tmp/code-sandbox-probe
try read-elsewhere cat "$3/file"
try connect nc -z -w 1 127.0.0.1 "$4"
try socket nc -U "$5"
try signal kill -0 "$6"
try processes ps -p "$6"
try set-id chmod 4755 "$2/new"
env | sed -n 's/^\\([A-Za-z_][A-Za-z0-9_]*\\)=.*/variable \\1/p'
`;
/** What must come to pass; everything else must be refused. */
const GRANTED = ['read-granted', 'write-granted', 'environment', 'owner'];
/** Which attempts speak for which guarantee. */
const ATTEMPTS: Record<number, string[]> = {
  1: ['write-granted', 'write-read-only', 'write-within', 'move-around', 'write-elsewhere', 'write-tmp'],
  2: ['connect'],
  3: ['environment'],
  4: ['read-granted', 'read-elsewhere'],
  5: ['socket', 'requests-5'],
  8: ['owner', 'set-id'],
  9: ['requests-9'],
  10: ['signal', 'processes'],
  13: ['requests-13'],
};
/** What a shell sets by itself, and macOS for every program. */
const OF_THE_SHELL = ['PWD', 'OLDPWD', 'SHLVL', '_', '__CF_USER_TEXT_ENCODING'];
/** What Seatbelt has no means for. */
const LACKS: Record<number, string> = {
  3: 'arguments and environment of the program stand in the list of the host’s processes',
  6: 'macOS has no limit of memory for a group of processes',
  7: 'macOS has no limit of processes for a group of them',
  9: 'there are no mounts: a link that is swapped in between check and start is not noticed',
  10: 'there is no supervisor and no filter of system calls',
  11: 'a process that leaves its group lives on',
  12: 'the size of a file is not limited',
};
/** And none for runs with a network. */
const LACKS_NETWORK = 'there are no networks of a run’s own: runs reach each other, and this host’s other addresses';
const SOFT = [6, 7, 12];
const TIMEOUT_MS = 10_000;

/** Puts Seatbelt to the proof with a shell script. What it cannot enforce is degraded, as far as the operator allows. */
export async function proveSeatbelt(input: ProbeInput): Promise<ProbeReport> {
  const started = performance.now();
  const tried = await attemptAll(input);
  const lacks = lacksOf(input.network);
  const guarantees = GUARANTEES.map((title, index) => judge(index + 1, title, tried, input.allowDegraded, lacks));
  const failed = guarantees.filter(({ status }) => status === 'failed');
  const reason = failed.map(({ id, title, evidence }) => `guarantee ${id} (${title}) does not hold: ${evidence[0]}`);
  return {
    backend: 'seatbelt',
    guarantees,
    interpreters: [],
    ok: failed.length === 0,
    degraded: guarantees.some(({ status }) => status === 'degraded'),
    durationMs: performance.now() - started,
    ...(failed.length > 0 ? { reason: reason.join('; ') } : {}),
  };
}

/** What there is no means for, by guarantee, in runs with that network. Pure. */
export function lacksOf(network: ProbeInput['network']): Record<number, string> {
  return network === 'allow' ? { ...LACKS, 2: LACKS_NETWORK } : LACKS;
}

/** What the attempts say about one guarantee. Pure. */
export function judge(
  id: number,
  title: string,
  tried: ReadonlyMap<string, string>,
  allowDegraded: boolean,
  lacks = LACKS,
): Guarantee {
  const seen = (ATTEMPTS[id] ?? []).map(name => ({
    name,
    right: tried.get(name) === (GRANTED.includes(name) ? 'done' : 'refused'),
  }));
  const wrong = seen.filter(({ right }) => !right).map(({ name }) => `${name}: ${tried.get(name) ?? 'not tried'}`);
  const lack = lacks[id];
  if (seen.length === 0 && !lack) wrong.push('nothing was attempted');
  const failed = wrong.length > 0 || (SOFT.includes(id) && !allowDegraded);
  return {
    id,
    title,
    status: failed ? 'failed' : lack ? 'degraded' : 'enforced',
    evidence: [
      ...wrong,
      ...(lack ? [lack] : []),
      ...seen.filter(({ right }) => right).map(({ name }) => `${name}: as it should be`),
    ],
    ...(lack
      ? { advice: 'start Podman or Docker for what Seatbelt cannot do, or accept it with engine.allowDegraded' }
      : {}),
  };
}

/**
 * What a script printed: how each attempt went, and whether the variables are those that were asked for. Pure.
 * @param asked names of the variables that the program was given
 */
export function readAttempts(printed: string, asked: readonly string[]): Map<string, string> {
  const lines = printed.split('\n').map(line => line.split(' ') as [string, string]);
  const variables = lines.filter(([what]) => what === 'variable').map(([, name]) => name);
  const wrong = [
    ...variables.filter(name => !asked.includes(name) && !OF_THE_SHELL.includes(name)).map(name => `${name} is there`),
    ...asked.filter(name => !variables.includes(name)).map(name => `${name} is missing`),
  ];
  const tried = new Map(lines.filter(([what]) => what !== 'variable' && what !== ''));
  return tried.set('environment', wrong.length === 0 ? 'done' : wrong.join(', '));
}

/** How the policy took the requests that it must refuse. Pure. */
export function requestsTried(accepted: readonly AcceptedRequest[]): Map<string, string> {
  return new Map(
    [5, 9, 13].map(id => {
      const taken = accepted.filter(({ guarantee }) => guarantee === id).map(({ what }) => what);
      return [`requests-${id}`, taken.length === 0 ? 'refused' : `accepted: ${taken.join(', ')}`];
    }),
  );
}

async function attemptAll(input: ProbeInput): Promise<Map<string, string>> {
  const { backend, prepare } = input;
  const stage = await realpath(await makeTempFolder('probe'));
  const [read, write, elsewhere] = ['read', 'write', 'elsewhere'].map(name => join(stage, name)) as [
    string,
    string,
    string,
  ];
  await using listeners = await Listeners.open(stage, false);
  const [port = '', socket = ''] = listeners.targets.map(target => target.replace(/^(tcp=127\.0\.0\.1:|path=)/, ''));
  try {
    for (const folder of [read, write, elsewhere]) {
      await mkdir(folder);
      await writeFile(join(folder, 'file'), 'x');
    }
    const fixed = join(write, 'a/fixed');
    await mkdir(fixed, { recursive: true });
    const policy = { fsRead: [read, fixed], fsWrite: [write], network: input.network ?? ('deny' as const) };
    const args = ['-c', SCRIPT, 'sh', read, write, elsewhere, port, socket, String(process.pid)];
    const { plan, program, release } = await prepare({ cmd: '/bin/sh', args, policy, timeout: TIMEOUT_MS }, {});
    try {
      const sandbox = await backend.open(plan);
      const output = new Collector(65_536);
      const push = (chunk: Buffer) => output.push(chunk);
      await sandbox.run(program, { stdout: push, stderr: () => {} });
      await sandbox.close();
      const names = program.env.map(([name]) => name);
      const requests = requestsTried(await acceptedRequests(input, read));
      const owner = await ownerOf(join(write, 'new'));
      return new Map([...readAttempts(output.text(), names), ...requests, ['owner', owner]]);
    } finally {
      await release();
    }
  } finally {
    await removeOwned(stage);
  }
}

/** `done` where a file that was made inside belongs to this process's user. */
async function ownerOf(path: string): Promise<string> {
  return lstat(path).then(
    ({ uid }) => (uid === process.getuid?.() ? 'done' : `uid ${uid}`),
    error => error.message,
  );
}
