import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Listeners } from '../../../src/probe/listeners.js';
import { Stage } from '../../../src/probe/stage.js';
import { hostTraces, tracesOf } from '../../../src/probe/traces.js';

describe('Stage', () => {
  it('is closed to others, tells what came out of it, and goes away', async () => {
    let folder = '';
    {
      await using stage = await Stage.set();
      folder = stage.folder;
      expect((await stat(folder)).mode & 0o777).toBe(0o700);
      expect((await stat(dirname(folder))).mode & 0o777).toBe(0o711);
      expect(await stage.answer()).toBeUndefined();
      expect(await stage.beats()).toBe(0);
      await writeFile(join(stage.rw, 'from-sandbox'), 'hello');
      await writeFile(join(stage.linger, 'heartbeat'), '...');
      await chmod(join(stage.rw, 'from-sandbox'), 0o4755);
      expect(await stage.answer()).toMatchObject({ content: 'hello', uid: process.getuid!() });
      expect(await stage.bits()).toEqual([join(stage.rw, 'from-sandbox')]);
      expect(await stage.beats()).toBe(3);
      expect(await stage.readOnly()).toEqual([`from-host 666 ${stage.nonces.ro}`]);
    }
    expect(existsSync(dirname(folder))).toBe(false);
  });
});

describe('Listeners', () => {
  it('can be reached from here, so that nobody there means something', async () => {
    await using stage = await Stage.set();
    await using listeners = await Listeners.open(stage.folder, false);
    expect(listeners.targets.map(target => target.split('=')[0]).sort()).toEqual(['abstract', 'path', 'tcp']);
    const port = Number(listeners.targets.find(target => target.startsWith('tcp='))!.split(':')[1]);
    const socket = connect(port, '127.0.0.1').resume();
    await once(socket, 'close');
  });
});

describe('hostTraces', () => {
  it('finds a value in the arguments and in the environment of a process', async () => {
    const secret = 'trace-0d6f2a71';
    const child = spawn(process.execPath, ['-e', 'console.log(1); setTimeout(() => {}, 10_000)', secret], {
      env: { X: secret },
    });
    try {
      await once(child.stdout, 'data');
      const traces = hostTraces(secret);
      expect(traces).toContainEqual(expect.stringMatching(`arguments of process ${child.pid} `));
      expect(traces).toContainEqual(expect.stringMatching(`environment of process ${child.pid} `));
      expect(hostTraces('trace-that-is-nowhere')).toEqual([]);
    } finally {
      child.kill('SIGKILL');
    }
  });

  it.each([
    ['is inside a sandbox', 'NSpid:\t17\t1\n'],
    ['ended while it was looked at, so that where it was cannot be told', ''],
  ])('leaves out a process that %s', (_, status) => {
    const files: Record<string, string> = { cmdline: 'probe\0secret=x', status };
    expect(tracesOf('17', 'secret=x', name => files[name] ?? '')).toEqual([]);
    files.status = 'NSpid:\t17\n';
    expect(tracesOf('17', 'secret=x', name => files[name] ?? '')).toEqual(['the arguments of process 17 ()']);
  });
});
