export type CardBrand = 'amex' | 'carnet' | 'diners' | 'discover' | 'jcb' | 'mastercard' | 'unionpay' | 'visa'

interface BrandRule {
  readonly brand: CardBrand
  readonly name: string
  /** Issuer prefixes: a single prefix, or the first and last of a range of equal length. */
  readonly prefixes: readonly (string | readonly [string, string])[]
  readonly lengths: readonly number[]
  readonly cvcLength: 3 | 4
}

/** The first matching rule wins, so narrow prefixes come before the wider ones that contain them. */
const rules: readonly BrandRule[] = [
  { brand: 'amex', name: 'American Express', prefixes: ['34', '37'], lengths: [15], cvcLength: 4 },
  {
    brand: 'carnet',
    name: 'Carnet',
    prefixes: [
      '286900',
      '502275',
      ['506199', '506499'],
      '606333',
      '627535',
      '636318',
      '636379',
      '639388',
      '639484',
      '639559',
    ],
    lengths: [16],
    cvcLength: 3,
  },
  { brand: 'diners', name: 'Diners Club', prefixes: ['30', '36', '38', '39'], lengths: [14], cvcLength: 3 },
  { brand: 'jcb', name: 'JCB', prefixes: [['3528', '3589']], lengths: [16], cvcLength: 3 },
  { brand: 'visa', name: 'Visa', prefixes: ['4'], lengths: [16, 19], cvcLength: 3 },
  {
    brand: 'mastercard',
    name: 'Mastercard',
    prefixes: [
      ['51', '55'],
      ['2221', '2720'],
    ],
    lengths: [16],
    cvcLength: 3,
  },
  { brand: 'discover', name: 'Discover', prefixes: ['6011', ['644', '649'], '65'], lengths: [16, 19], cvcLength: 3 },
  { brand: 'unionpay', name: 'UnionPay', prefixes: ['62'], lengths: [16, 17, 18, 19], cvcLength: 3 },
]

/** The lengths that ISO/IEC 7812 allows. The acquirer, not the page, decides whether it accepts such a card. */
const anyLength = [12, 13, 14, 15, 16, 17, 18, 19]

/** Returns the card's brand by the digits typed so far; undefined until there are enough. */
export function brandOf(digits: string): CardBrand | undefined {
  return ruleOf(digits)?.brand
}

/** The brand's official name. */
export function brandName(brand: CardBrand): string {
  return rules.find(rule => rule.brand === brand)?.name ?? brand
}

/** The possible numbers of digits of a complete number of this brand. */
export function numberLengths(digits: string): readonly number[] {
  return ruleOf(digits)?.lengths ?? anyLength
}

/** The number of digits of this card's security code; undefined while the brand is unknown. */
export function cvcLength(digits: string): 3 | 4 | undefined {
  return ruleOf(digits)?.cvcLength
}

function ruleOf(digits: string): BrandRule | undefined {
  return rules.find(rule => rule.prefixes.some(prefix => startsWithin(digits, prefix)))
}

function startsWithin(digits: string, prefix: string | readonly [string, string]): boolean {
  const [first, last] = typeof prefix === 'string' ? [prefix, prefix] : prefix
  const start = digits.slice(0, first.length)
  return start.length === first.length && start >= first && start <= last
}
