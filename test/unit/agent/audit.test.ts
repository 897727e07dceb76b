import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { AuditFile, type AuditRecord } from '../../../src/agent/audit.js';
import { workspace } from '../../support/workspace.js';

const record = (part: Partial<AuditRecord> = {}): AuditRecord => ({
  id: 'id',
  time: '2026-01-01T00:00:00.000Z',
  command: 'python3',
  access: 'read-only',
  network: 'deny',
  env: ['A'],
  totalMs: 5,
  ...part,
});

test('one line a record, whatever is in it, for its owner only', async () => {
  using work = workspace();
  const path = join(work.path, 'audit.jsonl');
  const file = new AuditFile(path, { maxBytes: 1e6, keep: 2 });
  const records = ['plain', 'line\nbreak', '\u001b[2J\u009b31m', 'right\u202eleft \u{e0041}'].map(command =>
    record({ command }),
  );
  await Promise.all(records.map(each => file.write(each)));
  const text = readFileSync(path, 'utf8');
  expect(
    text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line)),
  ).toEqual(records);
  expect(text).not.toMatch(/[^\P{C}\n]/u);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('it is set aside by its size, and as many are kept as was said', async () => {
  using work = workspace();
  const home = work.path;
  const file = new AuditFile(join(home, 'audit.jsonl'), { maxBytes: 500, keep: 2 });
  for (let i = 0; i < 40; i++) await file.write(record({ id: `${i}` }));
  expect(readdirSync(home).filter(name => name !== 'audit.jsonl')).toEqual(['audit.jsonl.1', 'audit.jsonl.2']);
  const lines = readdirSync(home).flatMap(name => readFileSync(join(home, name), 'utf8').trimEnd().split('\n'));
  expect(lines.length).toBeLessThan(16);
});

test('a link, and a folder that is not there, are refused; the next line is tried all the same', async () => {
  using work = workspace();
  const home = work.path;
  symlinkSync(join(home, 'elsewhere'), join(home, 'audit.jsonl'));
  await expect(new AuditFile(join(home, 'audit.jsonl'), { maxBytes: 500, keep: 2 }).write(record())).rejects.toThrow();
  const late = new AuditFile(join(home, 'later', 'audit.jsonl'), { maxBytes: 500, keep: 2 });
  await expect(late.write(record())).rejects.toThrow(/ENOENT/);
  mkdirSync(join(home, 'later'));
  await late.write(record());
});
