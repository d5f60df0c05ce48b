import { operations } from './operations.ts'
import { sdkMethods } from './sdk-methods.ts'

const described = operations.filter(({ response }) => response !== 'page')

test('every operation has a line, and every line an operation', () => {
  expect(Object.keys(sdkMethods).toSorted()).toEqual(described.map(({ id }) => id).toSorted())
})

test('an operation without a method for its callers has a reason', () => {
  const named = Object.values(sdkMethods).filter(method => typeof method !== 'string')
  for (const { reason } of named) expect(reason).toMatch(/^[A-Z].*\.$/)
})
