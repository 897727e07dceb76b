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
  /** Patches what the engine is asked to create; a change with these is for engines only. */
  docker?: (body: Body) => void;
  podman?: (body: Body) => void;
  /** Patches the supervisor's source: file of init/src, text that must be there, what stands in its place. */
  source?: Array<[file: string, text: string, instead: string]>;
  /** Takes the group with this call out of the seccomp filter. */
  withoutGroupOf?: string;
  /** A function of the product that then finds nothing: of the policy, or what looks through a run's files. */
  blind?: 'links' | 'objection' | 'setid';
}

/** Several changes in one. */
export function together(...changes: Change[]): Change {
  const all = (kind: 'docker' | 'podman') => (body: Body) => {
    for (const change of changes) change[kind]?.(body);
  };
  return { docker: all('docker'), podman: all('podman'), source: changes.flatMap(({ source = [] }) => source) };
}
