/**
 * Returns an amount as people type it (`$1,250.5`) as the API takes it (`1250.50`); undefined for what is none. Commas may only
 * stand between thousands, so that `1,5` is not taken for fifteen.
 */
export function amountOf(text: string): string | undefined {
  const [, units, cents = ''] = /^\s*\$?\s*(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d{1,2}))?\s*$/.exec(text) ?? []
  const plain = units && `${units.replaceAll(',', '')}.${cents.padEnd(2, '0')}`
  return plain && Number(plain) > 0 ? plain : undefined
}
