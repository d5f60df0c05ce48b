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
