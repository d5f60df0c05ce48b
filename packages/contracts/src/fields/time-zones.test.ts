import { timeZone } from './time-zones.ts'

test.each([...Intl.supportedValuesOf('timeZone'), 'UTC', 'Asia/Kolkata', 'Etc/GMT+6'])('timeZone accepts %s', name => {
  expect(timeZone.safeParse(name).success).toBe(true)
})

test.each([
  ['an empty name', ''],
  ['an offset', '-06:00'],
  ['a name in lower case', 'america/mexico_city'],
  ['an unknown city', 'America/Springfield'],
  ['a property of objects', '__proto__'],
  ['a leading blank', ' UTC'],
  ['a trailing line break', 'UTC\n'],
  ['a long name', `A${'a'.repeat(50)}`],
  ['null', null],
])('timeZone rejects %s', (_what, name) => {
  const { success, error } = timeZone.safeParse(name)
  expect([success, error?.issues.length]).toEqual([false, expect.any(Number)])
})
