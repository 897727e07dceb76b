import { describe, expect, it } from 'vitest';
import { parseFacts } from '../../../src/probe/facts.js';

describe('parseFacts', () => {
  it('reads fields, escaped bytes and UTF-8', () => {
    const facts = parseFacts('env A=%c3%a4%20b%0a\nenv B=%25\nend\n');
    expect(facts.of('env')).toEqual([['A=ä b\n'], ['B=%']]);
    expect(facts.complete).toBe(true);
  });

  it('keeps empty fields, and tells attempts that were not made from those that worked', () => {
    const facts = parseFacts('file /etc/hosts 2 \ncall mount 0\n');
    expect(facts.find('file', '/etc/hosts')).toEqual(['2', '']);
    expect(facts.errno('call', 'mount')).toBe(0);
    expect(facts.errno('call', 'bpf')).toBeUndefined();
    expect(facts.of('nothing')).toEqual([]);
  });

  it('knows an output that breaks off', () => {
    expect(parseFacts('call mount 1\ncall um').complete).toBe(false);
    expect(parseFacts('').complete).toBe(false);
  });
});
