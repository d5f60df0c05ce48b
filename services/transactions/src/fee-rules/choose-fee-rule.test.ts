import fc from 'fast-check'
import { chooseFeeRule, type RuleScope } from './choose-fee-rule.ts'

const at = (day: string) => new Date(`${day}T00:00:00.000Z`)
const rule = (change: Partial<RuleScope> = {}): RuleScope => ({
  ...{ id: 'fee_a', rail: null, payment_method: null, card_brand: null, currency: null, priority: 0, active: true },
  ...{ valid_from: null, valid_to: null, created_at: at('2026-01-01') },
  ...change,
})
const charged = {
  rail: 'online_cnp',
  payment_method: 'card',
  card_brand: 'visa',
  currency: 'MXN',
  captured_at: at('2026-06-15'),
}
const chosen = (...rules: RuleScope[]) => chooseFeeRule(rules, charged)?.id

test('no fee rule is chosen when none matches the payment', () => {
  expect(chosen()).toBeUndefined()
  expect(chosen(rule({ active: false }), rule({ currency: 'USD' }), rule({ card_brand: 'amex' }))).toBeUndefined()
})

test('the fee rule with the most matching criteria wins over a higher priority', () => {
  const narrow = rule({ id: 'fee_b', currency: 'MXN', rail: 'online_cnp' })
  expect(chosen(rule({ priority: 99 }), narrow)).toBe('fee_b')
})

test('among equally specific fee rules the highest priority wins, then the newest', () => {
  const high = rule({ id: 'fee_c', priority: 2 })
  expect(chosen(rule({ created_at: at('2026-05-01') }), high)).toBe('fee_c')
  expect(chosen(rule(), rule({ id: 'fee_d', created_at: at('2026-05-01') }))).toBe('fee_d')
  expect(chosen(rule({ id: 'fee_d' }), rule({ created_at: at('2026-05-01') }))).toBe('fee_a')
})

test('of fee rules that differ only in their ids, the highest id wins in any order', () => {
  expect(chosen(rule(), rule({ id: 'fee_b' }))).toBe('fee_b')
  expect(chosen(rule({ id: 'fee_b' }), rule())).toBe('fee_b')
})

test('a fee rule is valid from its start, inclusive, to its end, exclusive', () => {
  const captured = charged.captured_at
  expect(chosen(rule({ valid_from: captured }))).toBe('fee_a')
  expect(chosen(rule({ valid_to: captured }))).toBeUndefined()
  expect(chosen(rule({ valid_to: new Date(captured.getTime() + 1) }))).toBe('fee_a')
  expect(chosen(rule({ valid_from: new Date(captured.getTime() + 1) }))).toBeUndefined()
})

test('the chosen fee rule matches the payment and does not depend on the order of the rules', () => {
  const maybe = <T extends string>(...values: T[]) => fc.constantFrom(null, ...values)
  const anyRule = fc.record({
    ...{ rail: maybe('online_cnp', 'inperson_cp'), payment_method: maybe('card', 'cash') },
    ...{ card_brand: maybe('visa', 'amex'), currency: maybe('MXN', 'USD') },
    ...{ priority: fc.integer({ min: 0, max: 2 }), active: fc.boolean() },
    ...{ valid_from: fc.constant(null), valid_to: fc.constant(null), created_at: fc.constantFrom(at('2026-01-01')) },
  })
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 8 }), fc.integer(), (given, offset) => {
      const rules = given.map((one, i) => ({ ...one, id: `fee_${i}` as const }))
      const rotated = rules.map((_, i) => rules[(i + Math.abs(offset % rules.length)) % rules.length] as RuleScope)
      const winner = chooseFeeRule(rules, charged)
      expect(chooseFeeRule(rotated, charged)).toEqual(winner)
      expect(winner === undefined).toBe(!rules.some(one => chooseFeeRule([one], charged)))
      if (winner) expect(chooseFeeRule([winner], charged)).toEqual(winner)
    }),
    { numRuns: 1_000 },
  )
})
