import { expect, test } from 'vitest';
import { gatewaysIn } from '../../../src/probe/listeners.js';

test('the gateways of a host', () => {
  const routes = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
    'wlan0\t00000000\t010200C0\t0003\t0\t0\t600\t00000000\t0\t0\t0',
    'tun0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0',
    'csbx0\t0000D50A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
  ];
  expect(gatewaysIn(`${routes.join('\n')}\n`)).toEqual(['192.0.2.1']);
  expect(gatewaysIn('')).toEqual([]);
});
