import { newId, velocityRules } from '@cobro/contracts'
import { digestOfAddress, digestOfCard, subjectOf } from './velocity-subjects.ts'

const payable_id = newId('cs')
const merchant_id = newId('mrc')

test('digests recognize an address and a card without showing them, and never equal each other', () => {
  const [address, card] = [digestOfAddress('203.0.113.7'), digestOfCard('203.0.113.7')]
  expect(digestOfAddress('203.0.113.7')).toBe(address)
  expect(`${address} ${card}`).not.toContain('203.0.113.7')
  expect(address).not.toBe(card)
  expect([digestOfAddress(undefined), digestOfCard(undefined)]).toEqual([null, null])
})

test('a rule whose address or card is unknown does not apply', () => {
  const counted = { payable_id, merchant_id, address_digest: null, card_fingerprint: null }
  expect(velocityRules.filter(rule => subjectOf(rule, counted) !== undefined)).toEqual([
    'payable_attempts',
    'payable_declines',
    'merchant_attempts',
  ])
})
