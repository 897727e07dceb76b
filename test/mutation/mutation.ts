import type { RuntimeConfig } from '../../src/launcher/oci/config.js';
import type { Limits } from '../../src/policy/plan.js';
import type { BackendName } from '../../src/sandbox/backend.js';

/** One hardening option, how it is taken out, and the attacks that must notice. */
export interface Mutation {
  /** What is taken out, as the table names it. */
  option: string;
  /** Other layers that keep the same thing, and so are taken out as well. */
  layers?: string;
  /** The attacks, by the beginning of their names; each of them must succeed once the option is gone. */
  notices: string[];
  /** Only as root. */
  root?: boolean;
  change: Change;
}

/** A create body as it goes to an engine; both engines' bodies are plain JSON. */
// biome-ignore lint/suspicious/noExplicitAny: two engines' shapes, patched by hand
export type Body = any;

/** How an option is taken out, at the seams of the product: nothing of it is there for these tests. */
export interface Change {
  /** Patches what a backend is asked to make; a change with any of these is for the backends that it names. */
  docker?: (body: Body) => void;
  podman?: (body: Body) => void;
  oci?: (config: RuntimeConfig) => void;
  /** What becomes of an option of bubblewrap, each with its values; the last is the command, from its `--` on. */
  bwrap?: (option: string[]) => string[][];
  /** Limits that launchers are to give to a sandbox's cgroups instead; likewise for them only. */
  limits?: Partial<Limits>;
  /** Patches the supervisor's source: file of init/src, text that must be there, what stands in its place. */
  source?: Array<[file: string, text: string, instead: string]>;
  /** Takes the group with this call out of the seccomp filter. */
  withoutGroupOf?: string;
  /** A function of the product that then finds nothing: of the policy, or what looks through a run's files. */
  blind?: 'links' | 'objection' | 'setid';
}

/** Folders that attacks make. */
export const FOLDERS = /\/attack-[^/]+$/;

const SEAMS = ['docker', 'podman', 'oci', 'bwrap'] as const;
const LAUNCHERS: BackendName[] = ['oci', 'bwrap'];

/** Whether a change is one on a kind of backend. */
export function isFor(change: Change, kind: BackendName): boolean {
  const named: BackendName[] = [...SEAMS.filter(seam => change[seam]), ...(change.limits ? LAUNCHERS : [])];
  return named.length === 0 || named.includes(kind);
}

/** Several changes in one. */
export function together(...changes: Change[]): Change {
  const all = <Seam extends 'docker' | 'podman' | 'oci'>(seam: Seam): Pick<Change, Seam> => {
    const patches = changes.flatMap(change => (change[seam] as ((what: Body) => void) | undefined) ?? []);
    const patch = (what: Body) => {
      for (const each of patches) each(what);
    };
    return (patches.length > 0 ? { [seam]: patch } : {}) as Pick<Change, Seam>;
  };
  const words = changes.flatMap(({ bwrap }) => bwrap ?? []);
  const bwrap = (option: string[]) =>
    words.reduce((list, each) => list.flatMap(one => each(one)), [option] as string[][]);
  const source = changes.flatMap(change => change.source ?? []);
  return {
    ...all('docker'),
    ...all('podman'),
    ...all('oci'),
    ...(words.length > 0 ? { bwrap } : {}),
    ...(source.length > 0 ? { source } : {}),
  };
}

/** The options of bubblewrap that are taken out of a command line, or that others take the place of. */
export function words(is: (option: string[]) => boolean, instead: (option: string[]) => string[][] = () => []): Change {
  return { bwrap: option => (is(option) ? instead(option) : [option]) };
}

/** Whether an option of bubblewrap is the one of a name, or that with one value. */
export const isWord = (word: string, value?: string) => (option: string[]) => {
  return option[0] === word && (value === undefined || option[1] === value);
};
