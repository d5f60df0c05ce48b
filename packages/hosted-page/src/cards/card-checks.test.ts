import { type CardFields, cardOf, checkField, checkFields, luhnHolds } from './card-checks.ts'

const now = Date.UTC(2026, 5, 15)
const good: CardFields = {
  number: '4242 4242 4242 4242',
  expiry: '12 / 30',
  cvc: '123',
  holder: 'Ana Torres',
  email: '',
}

test('reports no error for a form with a valid card', () => {
  expect(checkFields(good, now)).toEqual({})
})

test('reports every empty field except the e-mail', () => {
  expect(checkFields({ number: '', expiry: '', cvc: '', holder: ' ', email: '' }, now)).toEqual({
    number: 'number_missing',
    expiry: 'expiry_missing',
    cvc: 'cvc_missing',
    holder: 'holder_missing',
  })
})

test.each([
  ['4242 4242 4242 4241', 'number_wrong'],
  ['4242 4242 4242 424', 'number_incomplete'],
  ['4242 4242 4242 4242', undefined],
  ['3782 822463 10005', undefined],
  ['3782 822463 1000', 'number_incomplete'],
])('the check of the card number %s returns %s', (number, fault) => {
  expect(checkField('number', { ...good, number }, now)).toBe(fault)
})

test.each([
  ['06 / 26', undefined],
  ['05 / 26', 'expiry_past'],
  ['00 / 30', 'expiry_wrong'],
  ['13 / 30', 'expiry_wrong'],
  ['1', 'expiry_wrong'],
  ['12 / 46', undefined],
  ['12 / 47', 'expiry_wrong'],
])('the check of the card expiry %s returns %s', (expiry, fault) => {
  expect(checkField('expiry', { ...good, expiry }, now)).toBe(fault)
})

test('accepts a card until its month has ended in every time zone', () => {
  const card = { ...good, expiry: '06 / 26' }
  expect(checkField('expiry', card, Date.UTC(2026, 6, 1, 11, 59))).toBeUndefined()
  expect(checkField('expiry', card, Date.UTC(2026, 6, 1, 12))).toBe('expiry_past')
})

test.each([
  ['4242', '12', 'cvc_three'],
  ['4242', '1234', 'cvc_three'],
  ['3782', '123', 'cvc_four'],
  ['3782', '1234', undefined],
  ['9', '123', undefined],
  ['9', '1234', undefined],
  ['9', '12', 'cvc_three'],
])('for a card that starts with %s, the check of the security code %s returns %s', (number, cvc, fault) => {
  expect(checkField('cvc', { ...good, number, cvc }, now)).toBe(fault)
})

test.each([
  ['Łucja Núñez-O’Brien', undefined],
  ['4242424242424242', 'holder_wrong'],
  ['...', 'holder_wrong'],
])('the check of the card holder %s returns %s', (holder, fault) => {
  expect(checkField('holder', { ...good, holder }, now)).toBe(fault)
})

test.each([
  ['ana@example.com', undefined],
  [' ana@example.com ', undefined],
  ['ana@example', 'email_wrong'],
  ['ana example.com', 'email_wrong'],
])('the check of the e-mail address %s returns %s', (email, fault) => {
  expect(checkField('email', { ...good, email }, now)).toBe(fault)
})

test('implements the Luhn check', () => {
  expect(luhnHolds('79927398713')).toBe(true)
  expect(luhnHolds('79927398710')).toBe(false)
  expect(luhnHolds('')).toBe(false)
})

test("builds the card in the acquirer's format", () => {
  expect(cardOf({ ...good, holder: ' Ana Torres ' })).toEqual({
    number: '4242424242424242',
    exp_month: 12,
    exp_year: 2030,
    cvc: '123',
    holder_name: 'Ana Torres',
  })
})

test('builds no card from an expiry that cannot be read', () => {
  expect(cardOf({ ...good, expiry: '13 / 30' })).toBeUndefined()
})
