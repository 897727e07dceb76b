import { expect, test } from 'vitest';
import { boundSockets } from '../../../src/policy/sockets.js';

const table = `Num       RefCount Protocol Flags    Type St Inode Path
0000000000000000: 00000002 00000000 00010000 0001 01 10 /run/docker.sock
0000000000000000: 00000003 00000000 00000000 0001 03 11 /ws/connected
0000000000000000: 00000002 00000000 00000000 0002 01 12 /ws/datagram
0000000000000000: 00000002 00000000 00010000 0005 01 13 /ws/seq packet: x
0000000000000000: 00000002 00000000 00010000 0001 01 14 @/tmp/.X11-unix/X0
0000000000000000: 00000002 00000000 00010000 0001 01 15 relative.sock
0000000000000000: 00000002 00000000 00010000 0001 01 10 /run/docker.sock
0000000000000000: 00000003 00000000 00000000 0001 03   111
`;

test('sockets that take what others send, by their paths', () => {
  expect(boundSockets(table)).toEqual(['/run/docker.sock', '/ws/datagram', '/ws/seq packet: x', 'relative.sock']);
  expect(boundSockets('')).toEqual([]);
});
