import { engineMounts } from './engine-mounts.js';
import type { Mutation } from './mutation.js';

/**
 * What an engine is asked for (src/engine/spec). Where its own default is as strict, the mutation asks for the loosest that
 * a daemon's settings could make it.
 */
export const engineMutations: Mutation[] = [
  ...engineMounts,
  {
    option: 'no network (NetworkDisabled with NetworkMode none, netns none)',
    notices: [
      'the host by TCP, UDP, unix sockets, abstract ones, and names',
      'a Node program that reaches for the host',
    ],
    root: true,
    change: {
      docker: body => {
        body.NetworkDisabled = false;
        body.HostConfig.NetworkMode = 'bridge';
      },
      podman: body => {
        body.netns = { nsmode: 'bridge' };
      },
    },
  },
  {
    option: 'user (User, user)',
    notices: ['files that belong to somebody else, or that anybody may write'],
    root: true,
    change: {
      docker: body => {
        body.User = '0:0';
      },
      podman: body => {
        body.user = '0:0';
      },
    },
  },
  {
    option: 'host name (Hostname; hostname, utsns)',
    notices: ['the host’s names and resolver'],
    change: {
      docker: body => delete body.Hostname,
      podman: body => {
        delete body.hostname;
        body.utsns = { nsmode: 'host' };
      },
    },
  },
  {
    option: 'IPC namespace (IpcMode, ipcns)',
    notices: ['shared memory of the host'],
    root: true,
    change: {
      docker: ({ HostConfig }) => {
        HostConfig.IpcMode = 'host';
        delete HostConfig.Tmpfs['/dev/shm'];
        delete HostConfig.Tmpfs['/dev/mqueue'];
      },
      podman: body => {
        body.ipcns = { nsmode: 'host' };
      },
    },
  },
  {
    option: 'cgroup namespace (CgroupnsMode, cgroupns)',
    notices: ['the kernel’s memory, keys and log, and the engine’s cgroup path'],
    change: {
      docker: ({ HostConfig }) => {
        HostConfig.CgroupnsMode = 'host';
      },
      podman: body => {
        body.cgroupns = { nsmode: 'host' };
      },
    },
  },
  {
    option: 'memory, with swap (Memory, MemorySwap; resource_limits.memory)',
    layers: 'each other: this machine has no swap, so that no attack notices where swap alone is not limited (below)',
    notices: ['heap', 'memory files', 'segments', 'files in /tmp'].map(what => `more memory than the limit: ${what}`),
    change: {
      docker: ({ HostConfig }) => {
        delete HostConfig.Memory;
        delete HostConfig.MemorySwap;
      },
      podman: body => delete body.resource_limits.memory,
    },
  },
  {
    option: 'number of processes (PidsLimit, resource_limits.pids)',
    notices: ['threads without end', 'processes without end, beside a run that must not suffer'],
    change: {
      docker: ({ HostConfig }) => delete HostConfig.PidsLimit,
      podman: body => {
        body.resource_limits.pids = { limit: 4096 };
      },
    },
  },
  {
    option: 'the end of stdin with its connection (StdinOnce)',
    notices: ['a program that goes on when the line to its owner has broken off'],
    change: {
      docker: body => {
        body.StdinOnce = false;
      },
    },
  },
  {
    option: 'no log on the engine’s disk (LogConfig none, log_configuration)',
    notices: ['output that fills the engine’s own disk'],
    root: true,
    change: {
      docker: ({ HostConfig }) => {
        HostConfig.LogConfig.Type = 'json-file';
      },
      podman: body => {
        body.log_configuration = { driver: 'k8s-file' };
      },
    },
  },
];
