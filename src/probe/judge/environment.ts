import { HOSTNAME } from '../../hardening/container.js';
import type { Observation } from '../observation.js';
import type { Verdict } from '../verdict.js';

/** Guarantee 3: the environment is what the frame carried, and nobody else's can be read. */
export function judgeEnvironment(seen: Observation, verdict: Verdict): void {
  const { facts, program, host } = seen;
  const asked = new Set(program.env.map(([name, value]) => `${name}=${value}`));
  const found = new Set(facts.of('env').map(([entry = '']) => entry));
  const name = (entry: string) => entry.split('=', 1)[0];
  verdict.none(
    [
      ...[...found]
        .filter(entry => !asked.has(entry))
        .map(entry => `${name(entry)} is in the environment and was not asked for`),
      ...[...asked].filter(entry => !found.has(entry)).map(entry => `${name(entry)} is missing from the environment`),
    ],
    `the environment is the ${asked.size} variables asked for, byte for byte`,
  );
  verdict.none(
    facts
      .of('process')
      .flatMap(([pid, errno]) => (errno === '0' ? [`the environment of process ${pid} can be read`] : [])),
    'the environment of no other process can be read',
  );
  const hostname = facts.of('hostname')[0]?.[0];
  verdict.check(
    hostname === HOSTNAME,
    `the host name inside is ${hostname}`,
    `the host name inside is ${hostname}, not the sandbox’s own`,
  );
  verdict.none(
    host.traces.map(where => `a value of the request stood in ${where} of the host`),
    'no value of the request in the arguments or environment of a process of the host',
  );
}
