import { auditCategories, events, operations } from '@cobro/contracts'
import { categoryOfCall, categoryOfEvent } from './audit-categories.ts'

test.each([
  ['/checkout/v1/sessions', 201, 'checkout'],
  ['/checkout/v1/sessions/cs_01jd0000000000000000000000/cancel', 200, 'checkout'],
  ['/checkout/cs_01jd0000000000000000000000', 200, 'checkout'],
  ['/hosted/v1/checkout/cs_01jd0000000000000000000000', 404, 'checkout'],
  ['/hosted/v1/checkout/cs_01jd0000000000000000000000/payments', 402, 'payment'],
  ['/api/checkout-sessions', 200, 'checkout'],
  ['/checkout/v1/links/pl_01jd0000000000000000000000', 200, 'payment'],
  ['/api/public/links/pl_01jd0000000000000000000000', 200, 'payment'],
  ['/api/transactions/txn_01jd0000000000000000000000/refund', 202, 'payment'],
  ['/acquirer/v1/notifications', 401, 'payment'],
  ['/api/sandbox/vouchers/93000000000001/pay', 200, 'payment'],
  ['/api/webhooks/events', 200, 'webhook'],
  ['/api/auth/login', 429, 'auth'],
  ['/.well-known/jwks.json', 200, 'auth'],
  ['/api/api-keys', 201, 'admin'],
  ['/api/terminales/trm_01jd0000000000000000000000/link', 200, 'admin'],
  ['/api/events', 200, 'api'],
  ['/health', 200, 'api'],
  ['/constructor', 404, 'api'],
  ['*', 400, 'api'],
  ['/checkout/v1/sessions', 503, 'error'],
])('a request to %s with the status %i has the audit category %s', (path, status, category) => {
  expect(categoryOfCall(path, status)).toBe(category)
})

test('every request has the audit category that its operation declares', () => {
  const called = operations.map(({ id, path }) => [id, categoryOfCall(path.replace(/:\w+/g, 'x'), 200)])
  expect(called).toEqual(operations.map(({ id, audit }) => [id, audit]))
})

test('every operation has an audit category other than api, except health, pages and the log itself', () => {
  const general = operations.filter(({ path }) => categoryOfCall(path, 200) === 'api')
  const ofLog = operations.filter(({ path }) => path.startsWith('/api/events'))
  const others = general.filter(operation => !ofLog.includes(operation)).map(({ id }) => id)
  expect(others.sort()).toEqual([
    'getDashboardFile',
    'getDocsFile',
    'getHealth',
    'getLifecycle',
    'getOpenApi',
    'listRequests',
    'redirectToDocs',
    'showDashboard',
    'showDashboardHome',
    'showDashboardScreen',
    'showDocs',
    'showDocsPage',
    'showLinkPreview',
  ])
  expect(ofLog.every(operation => general.includes(operation))).toBe(true)
})

test.each([
  ['payment.approved', 'payment'],
  ['checkout_session.viewed', 'checkout'],
  ['webhook.delivered', 'webhook'],
  ['payment_attempt.settled', null],
])('the event %s has the audit category %s', (name, category) => {
  expect(categoryOfEvent(name)).toBe(category)
})

test('unknown events of a newer release have the audit category of declared events with the same first word', () => {
  const declared = Object.entries(events).filter(([name, { category }]) => category !== null && name !== 'http.request')
  const newer = declared.map(([name]) => [name, categoryOfEvent(`${name.split('.', 1)[0]}.done_later`)])
  expect(newer).toEqual(declared.map(([name, { category }]) => [name, category]))
})

test.each([
  ['payment.reversed_later', 'payment'],
  ['webhook.paused', 'webhook'],
  ['loyalty.points_given', 'admin'],
  ['constructor.made', 'admin'],
  ['', 'admin'],
])('the unknown event %s has the audit category %s', (name, category) => {
  expect(auditCategories).toContain(category)
  expect(categoryOfEvent(name)).toBe(category)
})
