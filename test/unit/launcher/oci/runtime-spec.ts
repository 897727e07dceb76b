import { z } from 'zod';

/**
 * What the Open Container Initiative Runtime Specification 1.0.2 demands of the parts of config.json that are written here
 * (config.md, config-linux.md and its JSON Schema); a key that it does not know is a mistake.
 */
const absolute = z.string().regex(/^\//);
const id = z
  .number()
  .int()
  .min(0)
  .max(2 ** 32 - 1);
const capability = z.string().regex(/^CAP_[A-Z_]+$/);
const mapping = z.strictObject({ containerID: id, hostID: id, size: id });
const namespace = z.enum(['pid', 'network', 'mount', 'ipc', 'uts', 'user', 'cgroup', 'time']);

export const runtimeSpec = z.strictObject({
  ociVersion: z.string().regex(/^1\.\d+\.\d+/),
  process: z.strictObject({
    terminal: z.boolean(),
    user: z.strictObject({ uid: id, gid: id, additionalGids: z.array(id).optional() }),
    args: z.array(z.string()).min(1),
    env: z.array(z.string().regex(/^[^=]+=/)),
    cwd: absolute,
    capabilities: z.strictObject({
      bounding: z.array(capability),
      effective: z.array(capability),
      inheritable: z.array(capability),
      permitted: z.array(capability),
      ambient: z.array(capability),
    }),
    noNewPrivileges: z.boolean(),
    rlimits: z
      .array(
        z.strictObject({ type: z.string().regex(/^RLIMIT_[A-Z]+$/), soft: z.number().min(0), hard: z.number().min(0) }),
      )
      .refine(list => new Set(list.map(({ type }) => type)).size === list.length, 'a limit is named twice'),
  }),
  root: z.strictObject({ path: absolute, readonly: z.boolean() }),
  hostname: z.string(),
  mounts: z.array(
    z.strictObject({
      destination: absolute,
      type: z.string(),
      source: z.string().min(1),
      options: z.array(z.string()),
    }),
  ),
  linux: z.strictObject({
    uidMappings: z.array(mapping),
    gidMappings: z.array(mapping),
    namespaces: z
      .array(z.strictObject({ type: namespace }))
      .refine(list => new Set(list.map(({ type }) => type)).size === list.length, 'a namespace is named twice'),
    maskedPaths: z.array(absolute),
    readonlyPaths: z.array(absolute),
  }),
});
