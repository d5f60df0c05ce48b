import { profileShares } from './profile-groups.ts'

test('busy time is shared out by where the code belongs', () => {
  const node = (id: number, functionName: string, url = '') => ({ id, callFrame: { functionName, url } })
  const shares = profileShares({
    nodes: [
      node(1, '(idle)'),
      node(2, 'append', 'file:///x/services/gateway/src/spool/open-spool.ts'),
      node(3, 'dispatch', 'file:///x/node_modules/.pnpm/undici@8.12.4/node_modules/undici/lib/client.js'),
      node(4, '(garbage collector)'),
    ],
    samples: [1, 2, 3, 3, 4],
    timeDeltas: [1000, 10, 20, 10, 10],
  })
  expect(shares).toEqual([
    ['undici', 0.6],
    ['spool', 0.2],
    ['garbage collection', 0.2],
  ])
})
