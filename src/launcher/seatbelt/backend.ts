import { randomBytes } from 'node:crypto';
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plan, Root } from '../../policy/plan.js';
import type { ExpectedMount } from '../../probe/expect.js';
import type { ProbeInput } from '../../probe/probe.js';
import type { ProbeReport } from '../../probe/report.js';
import { removeOwned } from '../../reaper/owner-file.js';
import type { Backend, Sandbox } from '../../sandbox/backend.js';
import { BackendUnavailable } from '../../sandbox/errors.js';
import type { LauncherOptions } from '../bwrap/backend.js';
import { isExecutable } from '../executable.js';
import { makeFolder, ownPlaces } from '../folder.js';
import { seatbeltProfile } from './profile.js';
import { proveSeatbelt } from './prove.js';
import { SANDBOX_EXEC, SeatbeltSandbox } from './sandbox.js';

/** Sandboxes of macOS's own, for hosts without an engine. Untested on a real macOS. */
export class SeatbeltBackend implements Backend {
  readonly name = 'seatbelt';
  readonly label = 'Seatbelt (untested; no limits of memory and processes)';
  readonly engine = { rootless: false };
  readonly runtimes = [];
  readonly places: Backend['places'];
  readonly #options: LauncherOptions;
  readonly #folder: string;

  private constructor(options: LauncherOptions, folder: string) {
    this.#options = options;
    this.#folder = folder;
    this.places = { sockets: [], storage: [folder] };
  }

  /** @throws BackendUnavailable where this is no macOS that has it */
  static async find(options: LauncherOptions): Promise<SeatbeltBackend> {
    if (!isExecutable(SANDBOX_EXEC)) throw new BackendUnavailable(`${SANDBOX_EXEC} is not there`);
    const folder = await makeFolder({ owner: options.owner, cgroups: [] }, ownPlaces());
    return new SeatbeltBackend(options, await realpath(folder));
  }

  async open(plan: Plan): Promise<Sandbox> {
    const id = `${this.#options.instance}-${randomBytes(6).toString('hex')}`;
    const folder = join(this.#folder, id);
    const home = join(folder, 'home');
    const profile = join(folder, 'profile');
    await mkdir(home, { recursive: true });
    await writeFile(profile, seatbeltProfile(plan, home));
    const remove = () => rm(folder, { recursive: true, force: true });
    return new SeatbeltSandbox({ id, process: this.#options.process, profile, home, remove });
  }

  /** The probe's program is one of Linux. */
  prove(input: ProbeInput): Promise<ProbeReport> {
    return proveSeatbelt(input);
  }

  /** There are no mounts: paths are what they are on the host. */
  expectedMounts(): ExpectedMount[] {
    return [];
  }

  async imageRoot(reference: string): Promise<Root> {
    throw new BackendUnavailable(`Seatbelt has no images, and ${reference} is one: start an engine, or leave it out.`);
  }

  async alive(): Promise<boolean> {
    return isExecutable(SANDBOX_EXEC);
  }

  async close(): Promise<void> {
    await removeOwned(this.#folder);
  }
}
