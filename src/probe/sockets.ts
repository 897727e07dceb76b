/** Where control sockets usually are; the probe tries to connect to each, whether the host has it or not. */
export const CONTROL_SOCKETS = [
  '/run/docker.sock',
  '/var/run/docker.sock',
  '/run/podman/podman.sock',
  '/run/containerd/containerd.sock',
  '/run/crio/crio.sock',
  '/run/dbus/system_bus_socket',
  '/run/systemd/private',
  '/run/systemd/notify',
  '/run/systemd/journal/stdout',
  '/run/udev/control',
] as const;
