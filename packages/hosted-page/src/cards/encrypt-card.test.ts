import { compactDecrypt, exportJWK, generateKeyPair } from 'jose'
import { encryptCard } from './encrypt-card.ts'

const purpose = { payable_id: 'cs_1', amount_cents: 25_000, currency: 'MXN', iat: 1_795_000_000 }
const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123', holder_name: 'Ana Torres' }

test.each(['RSA-OAEP-256', 'ECDH-ES'])(
  'encrypts a card so that only the acquirer can decrypt it, with %s',
  async alg => {
    const pair = await generateKeyPair(alg, { extractable: true })
    const jwe = await encryptCard({ ...(await exportJWK(pair.publicKey)), alg, kid: 'k1' }, card, purpose)
    const { plaintext, protectedHeader } = await compactDecrypt(jwe, pair.privateKey)
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toEqual({
      ...card,
      ...purpose,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(protectedHeader).toMatchObject({ alg, enc: 'A256GCM', kid: 'k1' })
  },
)

test('encrypts the same card differently each time', async () => {
  const { publicKey } = await generateKeyPair('RSA-OAEP-256', { extractable: true })
  const key = { ...(await exportJWK(publicKey)), alg: 'RSA-OAEP-256' }
  expect(await encryptCard(key, card, purpose)).not.toBe(await encryptCard(key, card, purpose))
})

test('rejects a key without an algorithm', async () => {
  await expect(encryptCard({ kty: 'RSA' }, card, purpose)).rejects.toThrow('no alg')
})
