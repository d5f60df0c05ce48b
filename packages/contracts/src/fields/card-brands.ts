const lengths16to19 = [16, 17, 18, 19]

/**
 * The first digits and the lengths of card numbers, of 14 to 19 digits, by brand.
 * Sources: braintree/credit-card-type (src/lib/card-types.ts) for the brands up to Mir; the IIN
 * table of Wikipedia, "Payment card number", for RuPay and Troy; the issuers' IIN 286900 for Carnet, whose other
 * ranges (50…, 60…, 62…, 63…) are among Maestro's. Left out are numbers that no cards have any more, Visa's of 13
 * digits and JCB's 1800 and 2131, and Maestro's of 12 to 15 digits, because phone numbers and EAN-13 have as many.
 */
export const cardBrands: readonly { brand: string; prefixes: readonly string[]; lengths: readonly number[] }[] = [
  { brand: 'visa', prefixes: ['4'], lengths: [16, 18, 19] },
  { brand: 'mastercard', prefixes: ['51-55', '2221-2720'], lengths: [16] },
  { brand: 'amex', prefixes: ['34', '37'], lengths: [15] },
  { brand: 'diners', prefixes: ['300-305', '36', '38-39'], lengths: [14, 16, 19] },
  { brand: 'discover', prefixes: ['6011', '644-649', '65'], lengths: [16, 19] },
  { brand: 'jcb', prefixes: ['3528-3589'], lengths: lengths16to19 },
  { brand: 'unionpay', prefixes: ['62', '81'], lengths: [14, 15, ...lengths16to19] },
  { brand: 'maestro', prefixes: ['50', '56-59', '6'], lengths: lengths16to19 },
  { brand: 'mir', prefixes: ['2200-2204'], lengths: lengths16to19 },
  { brand: 'rupay', prefixes: ['353', '356', '508', '60', '65', '81-82'], lengths: [16] },
  { brand: 'troy', prefixes: ['65', '9792'], lengths: [16] },
  { brand: 'carnet', prefixes: ['2869'], lengths: [16] },
]

export const minCardLength = 14
export const maxCardLength = 19

/** The bits of `traitsOfFour` for lengths: `minCardLength` plus the number of the bit. */
export const cardLengths = 0x3f
/** The bit of `traitsOfFour` for a month and a year, in any order, or a long year, of 2020 to 2049. */
export const expiry = 0x40

/**
 * What four digits can be: the start of card numbers of some lengths, or an expiry. The index has four
 * bits for each digit.
 */
export const traitsOfFour = tabulate()

function tabulate(): Uint8Array {
  const table = new Uint8Array(1 << 16)
  const add = (digits: number, traits: number) => {
    const index = Number.parseInt(String(digits), 16)
    table[index] = (table[index] ?? 0) | traits
  }
  for (const { prefixes, lengths } of cardBrands) {
    const traits = lengths.reduce((sum, length) => sum | (1 << (length - minCardLength)), 0)
    for (const range of prefixes) {
      const [first = '', last = first] = range.split('-')
      const end = Number(last.padEnd(4, '9'))
      for (let digits = Number(first.padEnd(4, '0')); digits <= end; digits++) add(digits, traits)
    }
  }
  for (let year = 20; year < 50; year++) {
    add(2_000 + year, expiry)
    for (let month = 1; month <= 12; month++) {
      add(100 * month + year, expiry)
      add(100 * year + month, expiry)
    }
  }
  return table
}
