import { expect, test } from 'vitest';
import { closedPaths, READONLY_PATHS } from '../../../src/hardening/container.js';

test('all of /proc is read-only for the host’s root, parts of it for others', () => {
  expect(closedPaths('as-mounted', 0).readOnly).toEqual(expect.arrayContaining(['/proc', '/proc/acpi']));
  expect(closedPaths('as-mounted', 1000).readOnly).toEqual(READONLY_PATHS);
});

test('the cgroup tree is hidden or read-only where it would be writable', () => {
  expect(closedPaths('hidden', 0).masked).toContain('/sys/fs/cgroup');
  expect(closedPaths('read-only', 0).readOnly).toContain('/sys/fs/cgroup');
  expect(closedPaths('as-mounted', 0).masked).not.toContain('/sys/fs/cgroup');
});
