import { accessesOf, keyScopeOf, keyScopes, merchantAccesses, operations } from '@cobro/contracts'
import { allScopes, byGroup, givenBy, verbOf } from './key-scopes.ts'

test.each(merchantAccesses)('%s gives a key what the gateway lets it give', access => {
  const ofUsers = operations.filter(({ callers }) => callers.includes('client'))
  const mayCall = (operation: (typeof operations)[number]) => accessesOf(operation).client.includes(access)
  const permissions = new Set(ofUsers.filter(mayCall).map(({ id }) => id))
  const beyond = new Set(ofUsers.filter(operation => !mayCall(operation)).map(keyScopeOf))
  expect(givenBy(id => permissions.has(id))).toEqual(keyScopes.filter(scope => !beyond.has(scope)))
})

test('scopes come in groups, with what they let a key do', () => {
  expect(allScopes).toEqual(keyScopes)
  expect(verbOf('requests:read')).toBe('read')
  expect(byGroup(['checkout:read', 'webhooks:read', 'checkout:write'])).toEqual([
    ['checkout', ['checkout:read', 'checkout:write']],
    ['webhooks', ['webhooks:read']],
  ])
})
