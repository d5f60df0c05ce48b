import type { VelocityRule } from '@cobro/contracts'
import { exceededRule } from './count-attempts.ts'
import { defaultLimits } from './velocity-settings.ts'

const minute = { windowMs: 60_000 }
const limits = { ...defaultLimits, payable_attempts: { max: 3, ...minute }, address_declines: { max: 2, ...minute } }

test.each<[VelocityRule, number, boolean]>([
  // The attempt counts itself, so the limit itself passes.
  ['payable_attempts', 3, false],
  ['payable_attempts', 4, true],
  // As many declines as allowed: the next attempt is refused.
  ['address_declines', 1, false],
  ['address_declines', 2, true],
])('%s of %i exceed the limit: %s', (rule, count, exceeds) => {
  expect(exceededRule(limits, [{ rule, count }])).toBe(exceeds ? rule : undefined)
})

test('names the first of two rules that are exceeded, and none without a count', () => {
  const counts = [
    { rule: 'merchant_attempts', count: 1 },
    { rule: 'payable_attempts', count: 4 },
    { rule: 'address_declines', count: 2 },
  ] as const
  expect(exceededRule(limits, counts)).toBe('payable_attempts')
  expect(exceededRule(limits, [])).toBeUndefined()
})
