import { brandName, brandOf, type CardBrand, cvcLength, numberLengths } from './card-brands.ts'

test.each<[string, CardBrand | undefined]>([
  ['', undefined],
  ['4', 'visa'],
  ['5', undefined],
  ['50', undefined],
  ['51', 'mastercard'],
  ['55', 'mastercard'],
  ['56', undefined],
  ['222', undefined],
  ['2220', undefined],
  ['2221', 'mastercard'],
  ['2720', 'mastercard'],
  ['2721', undefined],
  ['34', 'amex'],
  ['37', 'amex'],
  ['36', 'diners'],
  ['3528', 'jcb'],
  ['3590', undefined],
  ['6011', 'discover'],
  ['644', 'discover'],
  ['65', 'discover'],
  ['62', 'unionpay'],
  ['627535', 'carnet'],
  ['506199', 'carnet'],
  ['506500', undefined],
  ['286900', 'carnet'],
])('knows the brand of %s: %s', (digits, brand) => {
  expect(brandOf(digits)).toBe(brand)
})

test("knows the length of each brand's number and security code", () => {
  expect(numberLengths('37')).toEqual([15])
  expect(cvcLength('37')).toBe(4)
  expect(numberLengths('4')).toEqual([16, 19])
  expect(cvcLength('4')).toBe(3)
})

test('leaves a card of an unknown brand to the acquirer', () => {
  expect(numberLengths('9')).toContain(16)
  expect(cvcLength('9')).toBeUndefined()
})

test('names a brand as its issuer does', () => {
  expect(brandName('amex')).toBe('American Express')
  expect(brandName('jcb')).toBe('JCB')
})
