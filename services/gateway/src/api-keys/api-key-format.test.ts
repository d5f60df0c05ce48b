import { isApiKey, maskedApiKey, newApiKey } from './api-key-format.ts'

test('a new API key is valid in its own environment only', () => {
  const key = newApiKey('sandbox')
  expect(key).toMatch(/^vk_test_[0-9A-Za-z]{38}$/)
  expect(isApiKey('sandbox', key)).toBe(true)
  expect(isApiKey('production', key)).toBe(false)
  expect(newApiKey('production')).toMatch(/^vk_live_/)
})

test('generates different API keys', () => {
  expect(new Set(Array.from({ length: 1000 }, () => newApiKey('sandbox'))).size).toBe(1000)
})

test('the checksum detects any changed character of an API key', () => {
  const key = newApiKey('sandbox')
  for (let i = 'vk_test_'.length; i < key.length; i++) {
    const changed = key.slice(0, i) + (key[i] === 'A' ? 'B' : 'A') + key.slice(i + 1)
    expect(isApiKey('sandbox', changed)).toBe(false)
  }
})

test('the checksum of an API key includes its prefix', () => {
  const key = newApiKey('sandbox')
  expect(isApiKey('production', key.replace('vk_test_', 'vk_live_'))).toBe(false)
})

test.each(['', 'vk_test_', 'vk_test_abc', `vk_test_${'a'.repeat(38)}`, `vk_test_${'é'.repeat(38)}`])(
  'does not accept %p as an API key',
  text => {
    expect(isApiKey('sandbox', text)).toBe(false)
  },
)

test('masks an API key except for its prefix and its last four characters', () => {
  const key = newApiKey('production')
  expect(maskedApiKey(key)).toBe(`vk_live_****${key.slice(-4)}`)
})
