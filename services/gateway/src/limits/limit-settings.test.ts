import { limitText } from './limit-settings.ts'

test('reads calls in seconds', () => {
  expect(limitText.parse('1000/10')).toEqual({ calls: 1000, seconds: 10 })
})

test.each(['', '0/10', '10/0', '10', '-1/10', '1.5/10', '10/10s', 'off', '99999999/1'])('refuses %p', text => {
  expect(limitText.safeParse(text).success).toBe(false)
})
