import { recentScopes, rememberScope } from './recent-scopes.ts'

function storage(texts: Record<string, string> = {}) {
  return {
    getItem: (key: string) => texts[key] ?? null,
    setItem: (key: string, text: string) => {
      texts[key] = text
    },
  }
}

const merchant = (name: string) => ({ id: `mrc_${name}` as const, name })

test('the last five merchants are kept, the newest first and each once', () => {
  const kept = storage()
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'c']) rememberScope('usr_1', merchant(name), kept)
  expect(recentScopes('usr_1', kept).map(({ name }) => name)).toEqual(['c', 'f', 'e', 'd', 'b'])
})

test("one user's merchants are not those of another", () => {
  const kept = storage()
  rememberScope('usr_1', merchant('a'), kept)
  expect(recentScopes('usr_2', kept)).toEqual([])
})

test('a merchant that was renamed has its new name', () => {
  const kept = storage()
  rememberScope('usr_1', { id: 'mrc_a', name: 'Before' }, kept)
  rememberScope('usr_1', { id: 'mrc_a', name: 'After' }, kept)
  expect(recentScopes('usr_1', kept)).toEqual([{ id: 'mrc_a', name: 'After' }])
})

test.each(['', '{', '{}', 'null', '[1, null, {"id": 2}]'])('%j in the storage is no merchant', text => {
  expect(recentScopes('usr_1', storage({ 'cobro.scopes.usr_1': text }))).toEqual([])
})
