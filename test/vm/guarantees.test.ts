import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { targets } from '../support/targets.js';

const cli = `${process.env.CODE_SANDBOX_DIST}/cli/main.js`;

/** The probe, as an operator calls it. What it printed is kept as a report: the table in the documentation is made of it. */
describe.each(targets)('the guarantees on $name', target => {
  test('are all enforced, none degraded', async () => {
    const doctor = promisify(execFile)(process.execPath, [cli, 'doctor', '--json', ...target.cli]);
    // The report is printed as well when it is bad, which is when it is wanted most.
    const { stdout } = await doctor.catch((error: { stdout: string }) => error);
    writeFileSync(`${process.env.REPORTS}/doctor-${process.getuid!()}-${target.name}.json`, stdout);
    const { available, degraded, guarantees, backend } = JSON.parse(stdout);
    const weak = guarantees.filter(({ status }: { status: string }) => status !== 'enforced');
    expect({ available, degraded, weak, backend }).toEqual({
      available: true,
      degraded: false,
      weak: [],
      backend: target.kind,
    });
    expect(guarantees).toHaveLength(13);
  });
});
