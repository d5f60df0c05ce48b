import { newId } from '@cobro/contracts'
import { isApproval } from './is-approval.ts'

test('isApproval distinguishes an approval from the object that a call would have created', () => {
  expect(isApproval({ id: newId('apr') })).toBe(true)
  expect(isApproval({ id: newId('fee') })).toBe(false)
})
