import { forgetUsers, scopesKey, zoneKey } from './user-storage.ts'

test('what is of users goes, and what is of the browser stays', () => {
  const texts = new Map(
    ['cobro.locale', zoneKey, scopesKey('usr_1'), scopesKey('usr_2'), 'cobro.theme'].map(key => [key, '']),
  )
  forgetUsers({
    length: texts.size,
    key: at => [...texts.keys()][at] ?? null,
    removeItem: key => void texts.delete(key),
  })
  expect([...texts.keys()]).toEqual(['cobro.locale', 'cobro.theme'])
})
