import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BackendUnavailable } from '../../../src/sandbox/errors.js';
import { SUPERVISOR_NAME, supervisorDir } from '../../../src/supervisor/binary.js';

const EM_X86_64 = 62;
const EM_AARCH64 = 183;

test.each([
  ['x64', EM_X86_64],
  ['amd64', EM_X86_64],
  ['x86_64', EM_X86_64],
  ['arm64', EM_AARCH64],
  ['aarch64', EM_AARCH64],
])('%s has a supervisor that can be executed', (architecture, machine) => {
  const path = join(supervisorDir(architecture), SUPERVISOR_NAME);
  accessSync(path, constants.X_OK);
  const elf = readFileSync(path);
  expect(elf.subarray(0, 4).toString('latin1')).toBe('\x7fELF');
  expect(elf.readUInt16LE(18)).toBe(machine);
});

test('another architecture is told by name', () => {
  expect(() => supervisorDir('riscv64')).toThrow(BackendUnavailable);
  expect(() => supervisorDir('riscv64')).toThrow('the architecture riscv64');
});
