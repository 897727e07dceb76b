/** One hardening option, how it is taken out, and the attacks that must notice. */
export interface Mutation {
  /** What is taken out, as the table names it. */
  option: string;
  /** Other layers that keep the same thing, and so are taken out as well. */
  layers?: string;
  /** Names of the attacks; each of them must succeed once the option is gone. */
  notices: string[];
  /** Backends that it is for; all, where it is the supervisor's or the policy's. */
  kinds?: string[];
  /** Only as root. */
  root?: boolean;
  change: Change;
}

/** A create body as it goes to an engine; both engines' bodies are plain JSON. */
// biome-ignore lint/suspicious/noExplicitAny: two engines' shapes, patched by hand
export type Body = any;

/** How an option is taken out, at the seams of the product: nothing of it is there for these tests. */
export interface Change {
  /** Patches what the engine is asked to create. */
  docker?: (body: Body) => void;
  podman?: (body: Body) => void;
  /** Patches the supervisor's source: file of init/src, text that must be there, what stands in its place. */
  source?: Array<[file: string, text: string, instead: string]>;
  /** Takes the group with this call out of the seccomp filter. */
  withoutGroupOf?: string;
  /** Functions of the policy that then object to nothing. */
  policy?: 'links' | 'objection';
}

/** Several changes in one. */
export function together(...changes: Change[]): Change {
  const all = (kind: 'docker' | 'podman') => (body: Body) => {
    for (const change of changes) change[kind]?.(body);
  };
  const rest = Object.assign({}, ...changes) as Change;
  return {
    ...rest,
    docker: all('docker'),
    podman: all('podman'),
    source: changes.flatMap(({ source = [] }) => source),
  };
}

/** The engine's own seccomp profile, which stands beneath the filter. */
export const noEngineSeccomp: Change = {
  docker: body => body.HostConfig.SecurityOpt.push('seccomp=unconfined'),
  podman: body => {
    body.seccomp_profile_path = 'unconfined';
  },
};
