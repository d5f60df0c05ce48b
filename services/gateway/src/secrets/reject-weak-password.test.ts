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
  ['banana.ruiz, ana.ruiz', 'e-mail'],
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

test.each([
  ['a short name', 'vo@cafe.test'],
  ['a name that is a part of a longer word', 'arrow@cafe.test'],
])('%s of an e-mail address may be part of a password', async (_what, address) => {
  await expect(rejectWeakPassword('a very common sparrow', address)).resolves.toBeUndefined()
  await expect(rejectWeakPassword(`${address} 2026`, address)).rejects.toThrow('e-mail')
})
