import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Logger } from '../../../src/aalis.js';
import { PING_MS } from '../../../src/engine/backend.js';
import type { Backend } from '../../../src/sandbox/backend.js';
import { Presence } from '../../../src/sandbox/presence.js';
import type { Selection } from '../../../src/sandbox/select.js';
import type { Kind } from '../../../src/sandbox/ways.js';

/** A backend that can be switched off. */
class Fake {
  up = true;
  closed = false;
  sweeps = 0;
  constructor(readonly label: string) {}
  alive = async () => this.up;
  sweep = async () => {
    this.sweeps += 1;
    return 0;
  };
  close = async () => {
    this.closed = true;
  };
}

/** A host with an engine that comes and goes, and with the system's own means. */
class World {
  engine: Fake | undefined;
  os: Fake | undefined = new Fake('bubblewrap');
  readonly searches: Array<Kind | undefined> = [];
  readonly changes: string[] = [];
  readonly lines: string[] = [];
  readonly presence: Presence;
  /** What the search and the telling of its outcome fail with. */
  failure: Error | undefined;
  deafness: (() => void) | undefined;

  constructor() {
    const write = (message: string) => this.lines.push(message);
    const logger: Logger = { child: () => logger, debug: write, info: write, warn: write, error: write };
    this.presence = new Presence(
      before => this.#select(before),
      logger,
      () => {
        this.changes.push(this.label);
        return this.deafness?.();
      },
    );
  }

  get label(): string {
    return this.presence.current.backend?.label ?? 'none';
  }

  async #select(before?: Kind): Promise<Selection> {
    this.searches.push(before);
    if (this.failure) throw this.failure;
    const found = [['engine', this.engine] as const, ['os', this.os] as const].filter(([kind]) => kind !== before);
    const [kind, backend] = found.find(([, each]) => each?.up) ?? [];
    const candidate = { strategy: 'the engine', outcome: 'declined' as const, reason: 'it is not there' };
    if (!backend || !kind) return { candidates: [candidate] };
    const instead = kind === 'os' ? { instead: `no engine, so ${backend.label}`, candidates: [candidate] } : {};
    return { kind, backend: backend as unknown as Backend, candidates: [], ...instead };
  }
}

describe('Presence', () => {
  let world: World;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
    world = new World();
  });
  afterEach(async () => {
    await world.presence.close();
    vi.useRealTimers();
  });

  test('an engine that is there is taken, and looked after, without another search', async () => {
    world.engine = new Fake('Docker');
    await world.presence.search();
    await vi.advanceTimersByTimeAsync(120_000);
    expect(world.label).toBe('Docker');
    expect(world.searches).toEqual([undefined]);
  });

  test('what dead owners left is swept as soon as a backend is taken, and every minute from then on', async () => {
    world.engine = new Fake('Docker');
    // Each looks at this host as well, which takes time that is not the fake clock's.
    const swept = (times: number) => expect.poll(() => world.engine!.sweeps).toBe(times);
    await world.presence.search();
    await swept(1);
    for (let minute = 1; minute <= 3; minute++) {
      await vi.advanceTimersByTimeAsync(59_000);
      await swept(minute);
      await vi.advanceTimersByTimeAsync(1000);
      await swept(minute + 1);
    }
    world.engine.up = false;
    await vi.advanceTimersByTimeAsync(1200);
    await expect.poll(() => world.os!.sweeps).toBe(1);
    await vi.advanceTimersByTimeAsync(60_000);
    await expect.poll(() => world.os!.sweeps).toBe(2);
    expect(world.engine.sweeps).toBe(4);
  });

  test('an engine that falls silent right after it has answered is lost within five seconds', async () => {
    world.engine = new Fake('Docker');
    await world.presence.search();
    await vi.advanceTimersByTimeAsync(1000);
    world.engine.up = false;
    // Longer than that no answer is waited for.
    world.engine.alive = () => new Promise(resolve => setTimeout(resolve, PING_MS, false));
    await vi.advanceTimersByTimeAsync(5000);
    expect(world.changes).toEqual(['Docker', 'none', 'bubblewrap']);
  });

  test('without an engine the fallback is taken, said once, and the engine is looked for with growing pauses', async () => {
    await world.presence.search();
    expect(world.label).toBe('bubblewrap');
    await vi.advanceTimersByTimeAsync(200_000);
    // At 0, 1, 3, 7, 15, 31, 63, 123 and 183 s.
    expect(world.searches).toEqual([undefined, ...Array(8).fill('os')]);
    expect(world.lines.filter(line => line.includes('bubblewrap'))).toEqual(['no engine, so bubblewrap']);
  });

  test('an engine that comes is taken; a run on the fallback ends before that is closed', async () => {
    await world.presence.search();
    const fallback = world.os!;
    const lease = await world.presence.require();
    world.engine = new Fake('Docker');
    await vi.advanceTimersByTimeAsync(1100);
    expect(world.label).toBe('Docker');
    expect(fallback.closed).toBe(false);
    lease[Symbol.dispose]();
    expect(fallback.closed).toBe(true);
    expect(world.changes).toEqual(['bubblewrap', 'Docker']);
  });

  test('a run on the fallback asks for the engine, but not more than once a second', async () => {
    await world.presence.search();
    await vi.advanceTimersByTimeAsync(4000);
    const before = world.searches.length;
    for (let n = 0; n < 10; n++) (await world.presence.require())[Symbol.dispose]();
    expect(world.searches.length).toBe(before);
    await vi.advanceTimersByTimeAsync(1500);
    for (let n = 0; n < 10; n++) (await world.presence.require())[Symbol.dispose]();
    expect(world.searches.length).toBe(before + 1);
  });

  test('an engine that goes is noticed without a run, at once, and the fallback is taken', async () => {
    world.engine = new Fake('Docker');
    await world.presence.search();
    world.engine.up = false;
    await vi.advanceTimersByTimeAsync(1200);
    expect(world.engine.closed).toBe(true);
    expect(world.changes).toEqual(['Docker', 'none', 'bubblewrap']);
  });

  test('with nothing at all runs are refused, until something comes', async () => {
    world.os = undefined;
    await world.presence.search();
    await expect(world.presence.require()).rejects.toThrow(/nothing runs: the engine: it is not there/);
    world.engine = new Fake('Docker');
    (await world.presence.require())[Symbol.dispose]();
    expect(world.label).toBe('Docker');
  });

  test('runs that were asked for before a search had ended share what it came to', async () => {
    world.os = undefined;
    const asked = performance.now();
    const refused = () => expect(world.presence.require(asked)).rejects.toThrow('nothing runs');
    await vi.advanceTimersByTimeAsync(10);
    for (let n = 0; n < 10; n++) await refused();
    expect(world.searches).toEqual([undefined]);
  });

  test('what is lost while something better is looked for is looked for too', async () => {
    await world.presence.search();
    const first = world.os!;
    const better = world.presence.search();
    world.os = new Fake('another bubblewrap');
    world.presence.lost(first as unknown as Backend, 'it no longer answers');
    const lease = await world.presence.require();
    lease[Symbol.dispose]();
    expect(lease.backend.label).toBe('another bubblewrap');
    expect(world.searches).toEqual([undefined, 'os', undefined]);
    await better;
  });

  test('a loss that is told late, of a backend that is not in use any more, changes nothing', async () => {
    world.engine = new Fake('Docker');
    await world.presence.search();
    world.presence.lost(world.os as unknown as Backend, 'late');
    expect(world.changes).toEqual(['Docker']);
  });

  test('a search that fails leaves what is in use, is told once, and is made again', async () => {
    await world.presence.search();
    world.failure = new Error('EBUSY');
    await vi.advanceTimersByTimeAsync(8000);
    expect(world.searches.length).toBe(4);
    expect(world.label).toBe('bubblewrap');
    expect(world.lines.filter(line => line.includes('EBUSY'))).toEqual(['the search for a backend failed: EBUSY']);
    world.failure = undefined;
    world.engine = new Fake('Docker');
    await vi.advanceTimersByTimeAsync(16_000);
    expect(world.label).toBe('Docker');
  });

  test('a first search that fails is no backend, and says why', async () => {
    world.failure = new Error('EBUSY');
    await world.presence.search();
    await expect(world.presence.require()).rejects.toThrow(/nothing runs: .*EBUSY/);
    world.failure = undefined;
    await vi.advanceTimersByTimeAsync(5000);
    expect(world.label).toBe('bubblewrap');
  });

  test.each<[string, () => void]>([
    [
      'throws',
      () => {
        throw new Error('deaf');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('deaf'))],
  ])('a listener that %s changes nothing', async (_, deafness) => {
    world.deafness = deafness;
    world.engine = new Fake('Docker');
    await world.presence.search();
    world.engine.up = false;
    await vi.advanceTimersByTimeAsync(1100);
    expect(world.changes).toEqual(['Docker', 'none', 'bubblewrap']);
    expect(world.lines.filter(line => line.includes('deaf'))).toHaveLength(3);
  });

  test('a backend that cannot even be asked is lost', async () => {
    world.engine = new Fake('Docker');
    await world.presence.search();
    world.engine.alive = async () => Promise.reject(new Error('EMFILE'));
    world.engine.up = false;
    await vi.advanceTimersByTimeAsync(1100);
    expect(world.label).toBe('bubblewrap');
  });
});
