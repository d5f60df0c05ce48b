interface BrandRule {
  readonly name: string
  /** The prefixes of the brand's issuers. */
  readonly prefix: RegExp
  readonly lengths: readonly number[]
  readonly cvcLength: 3 | 4
}

/** The first matching rule wins, so narrow prefixes come before wider ones that contain them. */
const rules = {
  amex: { name: 'American Express', prefix: /^3[47]/, lengths: [15], cvcLength: 4 },
  carnet: {
    name: 'Carnet',
    prefix: /^(286900|502275|506(199|[2-4]\d\d)|606333|627535|636318|636379|639388|639484|639559)/,
    lengths: [16],
    cvcLength: 3,
  },
  diners: { name: 'Diners Club', prefix: /^3[0689]/, lengths: [14], cvcLength: 3 },
  jcb: { name: 'JCB', prefix: /^35(2[89]|[3-8]\d)/, lengths: [16], cvcLength: 3 },
  visa: { name: 'Visa', prefix: /^4/, lengths: [16, 19], cvcLength: 3 },
  mastercard: {
    name: 'Mastercard',
    prefix: /^(5[1-5]|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)/,
    lengths: [16],
    cvcLength: 3,
  },
  discover: { name: 'Discover', prefix: /^6(011|4[4-9]|5)/, lengths: [16, 19], cvcLength: 3 },
  unionpay: { name: 'UnionPay', prefix: /^62/, lengths: [16, 17, 18, 19], cvcLength: 3 },
} satisfies Record<string, BrandRule>

export type CardBrand = keyof typeof rules

/** The lengths that ISO/IEC 7812 allows. The acquirer decides whether it accepts such a card. */
const anyLength = [12, 13, 14, 15, 16, 17, 18, 19]

/** Returns the card's brand by the digits typed so far; undefined until there are enough. */
export function brandOf(digits: string): CardBrand | undefined {
  return (Object.keys(rules) as CardBrand[]).find(brand => rules[brand].prefix.test(digits))
}

/** Returns the brand's official name. */
export function brandName(brand: CardBrand): string {
  return rules[brand].name
}

/** Returns the possible numbers of digits of a complete number of this brand. */
export function numberLengths(digits: string): readonly number[] {
  const brand = brandOf(digits)
  return brand ? rules[brand].lengths : anyLength
}

/** Returns the length of this card's security code; undefined while the brand is unknown. */
export function cvcLength(digits: string): 3 | 4 | undefined {
  const brand = brandOf(digits)
  return brand && rules[brand].cvcLength
}
