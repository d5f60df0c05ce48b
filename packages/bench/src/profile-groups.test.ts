import { profileShares } from './profile-groups.ts'

const node = (id: number, functionName: string, url = '', children: number[] = []) => ({
  id,
  callFrame: { functionName, url },
  children,
})

const profile = {
  nodes: [
    node(1, '(root)', '', [2, 3, 4, 5]),
    node(2, '(idle)'),
    node(3, 'append', 'file:///x/services/gateway/src/spool/open-spool.ts', [6]),
    node(4, 'dispatch', 'file:///x/node_modules/.pnpm/undici@8.12.4/node_modules/undici/lib/client.js'),
    node(5, '(garbage collector)'),
    node(6, 'writeSync', 'node:fs', [7]),
    node(7, 'writeBuffer'),
  ],
  samples: [2, 3, 4, 7, 4, 5],
  timeDeltas: [1000, 10, 20, 10, 40, 20],
  startTime: 5000,
}

test('profileShares assigns busy time to the group of the code or of its caller', () => {
  expect(profileShares(profile)).toEqual([
    ['undici', 0.6],
    ['spool', 0.2],
    ['garbage collection', 0.2],
  ])
})

test('profileShares ignores samples before the given time', () => {
  expect(profileShares(profile, 6070)).toEqual([
    ['undici', 2 / 3],
    ['garbage collection', 1 / 3],
  ])
})
