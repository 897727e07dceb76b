/**
 * The part of an OCI bundle's config.json that is written here.
 * Source: Open Container Initiative Runtime Specification 1.0.2, config.md and config-linux.md.
 */
export interface RuntimeConfig {
  ociVersion: string;
  process: {
    terminal: boolean;
    /** Ids inside. */
    user: { uid: number; gid: number; additionalGids?: number[] };
    args: string[];
    env: string[];
    cwd: string;
    capabilities: Record<'bounding' | 'effective' | 'inheritable' | 'permitted' | 'ambient', string[]>;
    noNewPrivileges: boolean;
    rlimits: Array<{ type: string; soft: number; hard: number }>;
  };
  root: { path: string; readonly: boolean };
  hostname: string;
  mounts: RuntimeMount[];
  linux: {
    uidMappings: IdMapping[];
    gidMappings: IdMapping[];
    namespaces: Array<{ type: 'user' | 'pid' | 'mount' | 'ipc' | 'uts' | 'network' | 'cgroup' }>;
    maskedPaths: string[];
    readonlyPaths: string[];
  };
}

/** One mount, as `mount(8)` would take it. */
export interface RuntimeMount {
  destination: string;
  type: string;
  source: string;
  options: string[];
}

/** A range of ids of the host and what they are called inside. */
export interface IdMapping {
  containerID: number;
  hostID: number;
  size: number;
}
