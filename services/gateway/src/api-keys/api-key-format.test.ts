import { isApiKey, maskedApiKey, newApiKey } from './api-key-format.ts'

test('a new key is a key of its own environment alone', () => {
  const key = newApiKey('sandbox')
  expect(key).toMatch(/^vk_test_[0-9A-Za-z]{38}$/)
  expect(isApiKey('sandbox', key)).toBe(true)
  expect(isApiKey('production', key)).toBe(false)
  expect(newApiKey('production')).toMatch(/^vk_live_/)
})

test('keys differ', () => {
  expect(new Set(Array.from({ length: 1000 }, () => newApiKey('sandbox'))).size).toBe(1000)
})

test('the checksum notices any changed character', () => {
  const key = newApiKey('sandbox')
  for (let i = 'vk_test_'.length; i < key.length; i++) {
    const changed = key.slice(0, i) + (key[i] === 'A' ? 'B' : 'A') + key.slice(i + 1)
    expect(isApiKey('sandbox', changed)).toBe(false)
  }
})

test('the prefix is under the checksum', () => {
  const key = newApiKey('sandbox')
  expect(isApiKey('production', key.replace('vk_test_', 'vk_live_'))).toBe(false)
})

test.each(['', 'vk_test_', 'vk_test_abc', `vk_test_${'a'.repeat(38)}`, `vk_test_${'é'.repeat(38)}`])(
  'refuses %p',
  text => {
    expect(isApiKey('sandbox', text)).toBe(false)
  },
)

test('a masked key shows its prefix and its last four characters', () => {
  const key = newApiKey('production')
  expect(maskedApiKey(key)).toBe(`vk_live_****${key.slice(-4)}`)
})
