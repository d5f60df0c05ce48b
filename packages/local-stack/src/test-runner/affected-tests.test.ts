import { affectedTests } from './affected-tests.ts'

const tests = [
  'packages/acceptance/test/browser-payment.atest.ts',
  'packages/acceptance/test/cash.atest.ts',
  'packages/acceptance/test/payment.atest.ts',
  'packages/hosted-page/test/keyboard.itest.ts',
  'packages/http/src/a.test.ts',
  'services/checkout/test/b.itest.ts',
  'services/gateway/test/c.itest.ts',
  'services/gateway/test/docs-routes.itest.ts',
  'packages/acceptance/test/dashboard.atest.ts',
  'services/gateway/test/dashboard-routes.itest.ts',
]
const imports: Record<string, string[]> = { 'services/gateway/test/c.itest.ts': ['packages/http/src/listen.ts'] }
const affectedBy = (...changed: string[]) =>
  affectedTests(tests, changed, file => new Set([file, ...(imports[file] ?? [])])).filter(file => file !== tests[4])

test('a change in a service affects its own tests and the payment through the whole system', () => {
  expect(affectedBy('services/checkout/src/main.ts')).toEqual([tests[2], tests[5]])
})

test("a change in the payer's page affects its own tests and the payment in a browser", () => {
  expect(affectedBy('packages/hosted-page/src/app.tsx')).toEqual([tests[0], tests[3]])
})

test('a change in a guide or in the code of the documentation affects the test of the pages', () => {
  expect(affectedBy('packages/docs/content/guides/cash.md')).toEqual([tests[7]])
  expect(affectedBy('packages/docs/src/main.ts')).toEqual([tests[7]])
})

test('a change in the dashboard affects its tests in a browser and those of its routes', () => {
  expect(affectedBy('packages/dashboard/src/main.tsx')).toEqual([tests[8], tests[9]])
})

test('a change in a shared package affects the tests that import it and all acceptance tests', () => {
  expect(affectedBy('packages/http/src/listen.ts')).toEqual([tests[0], tests[1], tests[2], tests[6], tests[8]])
})

test('a change in a test affects that test only', () => {
  expect(affectedBy('services/gateway/test/c.itest.ts')).toEqual([tests[6]])
})

test('a change in a document affects no test but the unit tests, and one in the configuration affects all tests', () => {
  expect(affectedBy('docs/operations.md', 'packages/http/README.md')).toEqual([])
  expect(affectedBy('jest.config.mjs')).toHaveLength(tests.length - 1)
})
