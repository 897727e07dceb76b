import { expect, test } from 'vitest';
import { fromLabels, MARK, removable, toLabels } from '../../../src/reaper/labels.js';
import { currentOwner, type Owner, ownerState, type ProcView } from '../../../src/reaper/owner.js';

/** There, but not shown: /proc is mounted with `hidepid`. */
const HIDDEN = 8;

function proc(processes: Record<number, string>, boot = 'b1', namespace = 'pid:[1]'): ProcView {
  return {
    read(path) {
      if (path.endsWith('boot_id')) return `${boot}\n`;
      const pid = Number(path.split('/')[2]);
      if (!(pid in processes)) throw new Error('ENOENT');
      return `${pid} (a ) odd (name) S ${Array.from({ length: 18 }, (_, i) => i).join(' ')} ${processes[pid]} 0`;
    },
    link: () => namespace,
    exists: pid => pid in processes || pid === HIDDEN,
  };
}

const self = currentOwner(proc({ 7: '100' }), 7);

test('the owner is told by pid, start time, boot and pid namespace, whatever its command is called', () => {
  expect(self).toEqual({ pid: 7, start: '100', boot: 'b1', namespace: 'pid:[1]' });
});

test.each<[string, Partial<Owner>, Record<number, string>, string]>([
  ['runs', {}, { 7: '100' }, 'alive'],
  ['is gone', {}, {}, 'dead'],
  ['was replaced by another process with its number', {}, { 7: '999' }, 'dead'],
  ['is of an earlier boot', { boot: 'b0' }, { 7: '100' }, 'dead'],
  ['is another user’s, whom /proc does not show', { pid: HIDDEN }, {}, 'unknown'],
  ['lives in another pid namespace', { namespace: 'pid:[2]' }, {}, 'unknown'],
  ['of another namespace and an earlier boot', { namespace: 'pid:[2]', boot: 'b0' }, {}, 'dead'],
  ['is not on Linux', { namespace: '', boot: '' }, {}, 'unknown'],
])('an owner that %s', (_, part, processes, state) => {
  expect(ownerState({ ...self, ...part }, self, proc(processes))).toBe(state);
});

test('this very process is alive by the real /proc', () => {
  expect(ownerState(currentOwner(), currentOwner())).toBe('alive');
});

test('labels carry the claim there and back; forged or foreign ones are no claim', () => {
  const claim = { instance: 'abc', owner: self, deadline: 5000 };
  const labels = toLabels(claim);
  expect(fromLabels(labels)).toEqual(claim);
  for (const bad of [
    {},
    { ...labels, [MARK]: 'no' },
    { ...labels, 'code-sandbox.owner': '{' },
    { ...labels, 'code-sandbox.deadline': 'x' },
  ]) {
    expect(fromLabels(bad as Record<string, string>)).toBeUndefined();
  }
});

test('only a dead owner, or a passed deadline where nothing is known, makes a container removable', () => {
  const claim = { instance: 'abc', owner: self, deadline: 5000 };
  expect(removable(claim, 'alive', 9999)).toBe(false);
  expect(removable(claim, 'dead', 0)).toBe(true);
  expect(removable(claim, 'unknown', 4999)).toBe(false);
  expect(removable(claim, 'unknown', 5001)).toBe(true);
});
