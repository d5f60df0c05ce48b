import { filesOfKind } from './test-files.ts'

/**
 * Acceptance tests of a whole payment, with which a change in a service or in the payer's page is
 * tried first.
 */
const paymentTest = 'packages/acceptance/test/payment.atest.ts'
const pageTest = 'packages/acceptance/test/browser-payment.atest.ts'

const isTest = (file: string) => /\.[iafl]?test\.ts$/.test(file)
const isDocument = (file: string) => file.endsWith('.md') || file.startsWith('docs/')
const packageOf = (file: string) => /^(?:packages|services)\/[^/]+\//.exec(file)?.[0]

/**
 * Returns the test files that a change can affect: all unit tests, which are quick; the tests that
 * import a changed file, and those of its package, which also start its programs. Acceptance tests
 * run the services, so a package that services import affects all of them. Of a change in one
 * service or in the payer's page, they try a payment only; `npm test` runs the others.
 */
export function affectedTests(
  tests: readonly string[],
  changed: readonly string[],
  importsOf: (file: string) => ReadonlySet<string>,
): string[] {
  const code = changed.filter(file => !isDocument(file))
  if (code.some(file => packageOf(file) === undefined)) return [...tests]
  const sources = code.filter(file => !isTest(file))
  const packages = new Set(sources.map(packageOf))
  const affectsAcceptance = acceptanceOf([...packages])
  const imports = (test: string) => {
    const imported = importsOf(test)
    return code.some(file => imported.has(file))
  }
  const unit = new Set(filesOfKind(tests, 'unit'))
  return tests.filter(
    test => unit.has(test) || packages.has(packageOf(test)) || affectsAcceptance(test) || imports(test),
  )
}

/** Returns which acceptance tests a change in these packages affects. */
function acceptanceOf(packages: readonly (string | undefined)[]): (test: string) => boolean {
  const services = packages.filter(name => name?.startsWith('services/'))
  const page = packages.filter(name => name === 'packages/hosted-page/')
  if (packages.length > services.length + page.length) return test => test.endsWith('.atest.ts')
  return test => (services.length > 0 && test === paymentTest) || (page.length > 0 && test === pageTest)
}
