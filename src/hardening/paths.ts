import { SUPERVISOR_DIR } from './container.js';

/** Folders of the system that no policy folder may be or cover; the supervisor's own must not be mounted over. */
export const SYSTEM_FOLDERS = [
  '/',
  '/usr',
  '/etc',
  '/proc',
  '/sys',
  '/dev',
  '/run',
  '/var/run',
  '/tmp',
  '/boot',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  SUPERVISOR_DIR,
] as const;

/** Folders in which no policy folder may lie either: the kernel's and the devices', control sockets, boot loaders. */
export const CLOSED_FOLDERS = ['/proc', '/sys', '/dev', '/run', '/boot', SUPERVISOR_DIR] as const;

/**
 * Folders of the system's programs, on every distribution; those in /run are NixOS's and Guix's. This package takes the
 * programs of the host that it starts from here, so nothing may be written in them.
 */
export const TOOL_FOLDERS = [
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/sbin',
  '/usr/bin',
  '/sbin',
  '/bin',
  '/run/wrappers/bin',
  '/run/current-system/sw/bin',
  '/run/current-system/profile/bin',
] as const;

/** Where engines and orchestrators keep images, containers and keys. Who writes there owns every container. */
export const ENGINE_STORAGE = [
  '/var/lib/containers',
  '/var/lib/docker',
  '/var/lib/containerd',
  '/var/lib/crio',
  '/var/lib/kubelet',
  '/var/lib/rancher',
  '/var/lib/lxd',
  '/var/lib/incus',
  '/var/snap/docker',
  '/var/snap/lxd',
] as const;

/** The same for rootless engines, below XDG_DATA_HOME. */
export const USER_ENGINE_STORAGE = ['containers', 'docker', 'containerd'] as const;

/** Where they keep their settings, which name programs that they start. */
export const ENGINE_SETTINGS = ['/etc/containers', '/etc/docker'] as const;

/** The same for rootless engines, below XDG_CONFIG_HOME. */
export const USER_ENGINE_SETTINGS = ['containers', 'docker'] as const;

/** Control sockets outside /run, below a user's home: engines of desktops, agents. */
export const HOME_SOCKETS = [
  '.docker/run/docker.sock',
  '.docker/desktop/docker.sock',
  '.colima/default/docker.sock',
  '.orbstack/run/docker.sock',
  '.rd/docker.sock',
  '.gnupg/S.gpg-agent',
  '.gnupg/S.gpg-agent.ssh',
  '.gnupg/S.gpg-agent.extra',
] as const;

/** Variables of the service's environment whose value is the address of a control socket. */
export const SOCKET_VARIABLES = [
  'DOCKER_HOST',
  'CONTAINER_HOST',
  'CONTAINERD_ADDRESS',
  'CONTAINER_RUNTIME_ENDPOINT',
  'SSH_AUTH_SOCK',
  'DBUS_SESSION_BUS_ADDRESS',
  'DBUS_SYSTEM_BUS_ADDRESS',
  'NOTIFY_SOCKET',
] as const;

/** File systems through which the kernel itself is read or driven. */
export const KERNEL_FILE_SYSTEMS: ReadonlySet<string> = new Set([
  'autofs',
  'binfmt_misc',
  'bpf',
  'cgroup',
  'cgroup2',
  'configfs',
  'debugfs',
  'devpts',
  'devtmpfs',
  'efivarfs',
  'fusectl',
  'hugetlbfs',
  'mqueue',
  'nfsd',
  'nsfs',
  'proc',
  'pstore',
  'rpc_pipefs',
  'securityfs',
  'selinuxfs',
  'smackfs',
  'sysfs',
  'tracefs',
]);

/** Groups whose members are as good as root, or read what is not theirs: never handed on to code. */
export const PRIVILEGED_GROUPS: ReadonlySet<string> = new Set([
  'adm',
  'admin',
  'disk',
  'docker',
  'incus',
  'incus-admin',
  'input',
  'kmem',
  'kvm',
  'libvirt',
  'lxd',
  'podman',
  'root',
  'shadow',
  'sudo',
  'systemd-journal',
  'tty',
  'utmp',
  'wheel',
]);
