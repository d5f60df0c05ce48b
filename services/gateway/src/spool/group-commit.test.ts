import { groupCommit } from './group-commit.ts'

function controlledFlush() {
  const flushes: { group: string[]; end: PromiseWithResolvers<void> }[] = []
  const commit = groupCommit<string>(group => {
    const end = Promise.withResolvers<void>()
    flushes.push({ group, end })
    return end.promise
  })
  return { commit, flushes }
}

const turns = () => new Promise(resolve => setImmediate(resolve))

test('items that arrive during a flush share the next flush', async () => {
  const { commit, flushes } = controlledFlush()
  const first = commit('a')
  await turns()
  const others = [commit('b'), commit('c')]
  await turns()
  expect(flushes.map(({ group }) => group)).toEqual([['a']])

  flushes[0]!.end.resolve()
  await first
  await turns()
  expect(flushes.map(({ group }) => group)).toEqual([['a'], ['b', 'c']])
  flushes[1]!.end.resolve()
  await Promise.all(others)
})

test('items of one turn of the event loop share one flush', async () => {
  const { commit, flushes } = controlledFlush()
  const all = [commit('a'), commit('b'), commit('c')]
  await turns()
  expect(flushes.map(({ group }) => group)).toEqual([['a', 'b', 'c']])
  flushes[0]!.end.resolve()
  await Promise.all(all)
})

test('a failed flush rejects only the items of its own group', async () => {
  const { commit, flushes } = controlledFlush()
  const group = Promise.allSettled([commit('a'), commit('b')])
  await turns()
  const next = commit('c')
  flushes[0]!.end.reject(new Error('i/o error'))
  expect((await group).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await turns()
  flushes[1]!.end.resolve()
  await next
})
