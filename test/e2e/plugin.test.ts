import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as plugin from '../../src/index.js';
import { FakeContext } from '../support/aalis.js';
import { settings } from '../support/config-for.js';
import { request } from '../support/request.js';
import { configFor, leftovers, targets } from '../support/targets.js';

describe('the module is what Aalis’s loaders look for', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  test('its metadata equals the manifest’s', () => {
    expect(plugin.name).toBe(manifest.name);
    expect(plugin.default).toEqual({ name: plugin.name, apply: plugin.apply });
    const { required, optional } = plugin.inject;
    expect({ provides: plugin.provides, required, optional }).toEqual(manifest.aalis.service);
    expect(manifest.keywords).toContain('aalis-plugin');
    expect(manifest.exports['.']).toEqual({ types: './dist/index.d.ts', default: './dist/index.js' });
    expect(manifest.main).toBe('dist/index.js');
    expect(manifest.peerDependenciesMeta['@aalis/core'].optional).toBe(true);
  });
});

describe.each(targets)('the plugin on $name', target => {
  test('registers with its priority and a label, runs, is checked, and leaves nothing', async () => {
    const ctx = new FakeContext();
    await plugin.apply(ctx, configFor(target, { priority: 70 }));
    const { service, priority, label, name } = ctx.winner;
    expect({ name, priority }).toEqual({ name: 'code-sandbox', priority: 70 });
    expect(label).toMatch(/^(Docker|Podman|bubblewrap|crun|runc) \d.*, host root/);
    expect(service).toMatchObject({ available: true, backend: target.kind });
    expect((await service.run(request('sh', ['-c', 'echo hi']))).stdout).toBe('hi\n');
    const check = [await ctx.checks[0]!.run()].flat()[0]!;
    expect(check).toMatchObject({ level: target.weak ? 'warn' : 'ok', category: 'service' });
    expect(check.detail).toContain('Runs with network allow: ');
    if (target.kind !== 'bwrap' && settings.WARM_MAX !== '0')
      expect(check.detail).toMatch(/^\d of \d runs met a sandbox that was started ahead/m);

    const running = service.run(request('sleep', ['60']));
    const ended = expect(running).rejects.toMatchObject({ result: { code: null, signal: 'SIGTERM' } });
    await new Promise(resolve => setTimeout(resolve, 500));
    await ctx.dispose();
    await ended;
    expect(leftovers(target)).toEqual([]);
    expect(service.available).toBe(false);
    await expect(service.run(request('true', []))).rejects.toMatchObject({ name: 'BackendUnavailable' });
  });

  test('twenty disposals in a row in the middle of runs leave nothing', { timeout: 400_000 }, async () => {
    for (let round = 0; round < 5; round++) {
      const ctx = new FakeContext();
      await plugin.apply(ctx, configFor(target));
      const runs = Array.from({ length: 4 }, () => ctx.winner.service.run(request('sleep', ['60'])).catch(() => {}));
      await new Promise(resolve => setTimeout(resolve, 40 * round));
      await ctx.dispose();
      await Promise.all(runs);
      expect(leftovers(target)).toEqual([]);
    }
  });
});

test('without an engine the service is there, says so, and runs nothing', async () => {
  const ctx = new FakeContext();
  await plugin.apply(ctx, { order: 'engine', engine: { socket: '/nonexistent/engine.sock' } });
  const { service, label } = ctx.winner;
  expect(service.available).toBe(false);
  expect(service.backend).toMatch(/^none \(.*nonexistent/);
  expect(label).toBe('none');
  await expect(service.run(request('true', []))).rejects.toMatchObject({ name: 'BackendUnavailable' });
  expect(await ctx.checks[0]!.run()).toMatchObject({ level: 'error' });
  await ctx.dispose();
});
