import { rejectWeakPassword } from './reject-weak-password.ts'

const email = 'Ana.Ruiz@cafe-azul.test'

test.each([
  ['q1w2e3r4t5y6', 'common'],
  ['Q1W2E3R4T5Y6', 'common'],
  ['qwerty123456', 'common'],
  ['passwordpassword', 'common'],
  ['123456123456', 'common'],
  ['aaaaaaaaaaaa', 'common'],
  ['abcabcabcabc', 'common'],
  ['ana.ruiz@cafe-azul.test', 'e-mail'],
  ['my ANA.RUIZ 2026!', 'e-mail'],
])('rejects the password %s', async (password, why) => {
  await expect(rejectWeakPassword(password, email)).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining(why),
  })
})

test.each(['a long enough password', 'correct horse battery staple', 'Nube-verde-7-lagos', 'cafe con leche y pan'])(
  'accepts the password %s',
  async password => {
    await expect(rejectWeakPassword(password, email)).resolves.toBeUndefined()
  },
)

test('a short name of an e-mail address may be part of a password', async () => {
  await expect(rejectWeakPassword('a very common sparrow', 'vo@cafe.test')).resolves.toBeUndefined()
})
