import { expect, test } from 'vitest';
import { fromLabels, MARK, removable, toLabels } from '../../../src/reaper/labels.js';
import { currentOwner, type Owner, ownerState, type ProcView } from '../../../src/reaper/owner.js';

/** There, but not shown: /proc is mounted with `hidepid`. */
const HIDDEN = 8;

const ID = '0123456789abcdef0123456789abcdef';

function proc(processes: Record<number, string>, id = ID): ProcView {
  return {
    read(path) {
      if (path.endsWith('boot_id')) return 'b1\n';
      if (path === '/etc/machine-id') return `${id}\n`;
      const pid = Number(path.split('/')[2]);
      if (!(pid in processes)) throw new Error('ENOENT');
      return `${pid} (a ) odd (name) S ${Array.from({ length: 18 }, (_, i) => i).join(' ')} ${processes[pid]} 0`;
    },
    link: () => 'pid:[1]',
    exists: pid => pid in processes || pid === HIDDEN,
  };
}

const self = currentOwner(proc({ 7: '100' }), 7);

test('the owner is told by pid, start time, boot, pid namespace and machine, whatever its command is called', () => {
  expect(self).toEqual({ pid: 7, start: '100', boot: 'b1', namespace: 'pid:[1]', machine: self.machine });
});

test('the machine is told without its id, which is confidential, and not at all where it has none', () => {
  const machine = (id: string) => currentOwner(proc({ 7: '100' }, id), 7).machine;
  expect(machine(ID)).toMatch(/^[0-9a-f]{16}$/);
  expect(ID).not.toContain(machine(ID));
  expect(machine(ID.replace('0', '1'))).not.toBe(machine(ID));
  expect([machine(''), machine('uninitialized')]).toEqual([undefined, undefined]);
});

test.each<[string, Partial<Owner>, Record<number, string>, string]>([
  ['runs', {}, { 7: '100' }, 'alive'],
  ['is gone', {}, {}, 'dead'],
  ['was replaced by another process with its number', {}, { 7: '999' }, 'dead'],
  ['is of an earlier boot', { boot: 'b0' }, { 7: '100' }, 'dead'],
  ['is another user’s, whom /proc does not show', { pid: HIDDEN }, {}, 'unknown'],
  ['lives in another pid namespace', { namespace: 'pid:[2]' }, {}, 'unknown'],
  ['of another namespace and an earlier boot', { namespace: 'pid:[2]', boot: 'b0' }, {}, 'dead'],
  ['is of another boot and another machine', { boot: 'b0', machine: 'm2' }, { 7: '100' }, 'unknown'],
  ['of another namespace, boot and machine', { namespace: 'pid:[2]', boot: 'b0', machine: 'm2' }, {}, 'unknown'],
  ['is of another boot and does not know its machine', { boot: 'b0', machine: undefined }, {}, 'unknown'],
  ['is in a container with an id of its own', { machine: 'm2' }, { 7: '100' }, 'alive'],
  ['is not on Linux', { namespace: '', boot: '' }, {}, 'unknown'],
])('an owner that %s', (_, part, processes, state) => {
  expect(ownerState({ ...self, ...part }, self, proc(processes))).toBe(state);
});

test('where neither knows its machine, another boot is an earlier one', () => {
  const nowhere = { ...self, machine: undefined };
  expect(ownerState({ ...nowhere, boot: 'b0' }, nowhere, proc({ 7: '100' }))).toBe('dead');
});

test('this very process is alive by the real /proc', () => {
  expect(ownerState(currentOwner(), currentOwner())).toBe('alive');
});

test('labels carry the claim there and back; forged or foreign ones are no claim', () => {
  const claim = { instance: 'abc', owner: self, deadline: 5000 };
  const labels = toLabels(claim);
  expect(fromLabels(labels)).toEqual(claim);
  const { machine, ...older } = self;
  expect(fromLabels(toLabels({ ...claim, owner: older }))).toEqual({ ...claim, owner: older });
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
