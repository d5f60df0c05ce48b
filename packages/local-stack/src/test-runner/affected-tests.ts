import { filesOfKind } from './test-files.ts'

/** The acceptance test of a whole payment, with which a change in a service is tried first. */
const paymentTest = 'packages/acceptance/test/payment.atest.ts'
/** What is built for browsers, and the tests that use the build. */
const pageTests: Readonly<Record<string, string[]>> = {
  'packages/dashboard/': [
    'packages/acceptance/test/dashboard.atest.ts',
    'services/gateway/test/dashboard-routes.itest.ts',
  ],
  'packages/docs/': ['services/gateway/test/docs-routes.itest.ts'],
  'packages/hosted-page/': ['packages/acceptance/test/browser-payment.atest.ts'],
}

const isTest = (file: string) => /\.[iafl]?test\.ts$/.test(file)
/** Text that no program reads. The pages of the documentation are built. */
const isDocument = (file: string) =>
  file.startsWith('docs/') || (file.endsWith('.md') && !file.startsWith('packages/docs/content/'))
const packageOf = (file: string) => /^(?:packages|services)\/[^/]+\//.exec(file)?.[0]

/**
 * Returns the test files that a change can affect: all unit tests, which are quick; the tests that
 * import a changed file, and those of its package, which also start its programs. Acceptance tests
 * run the services, so a package that services import affects all of them. Of a change in one
 * service or in what is built for browsers, only few are tried; `npm test` runs the others.
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
  const affectsStack = stackTestsOf([...packages])
  const imports = (test: string) => {
    const imported = importsOf(test)
    return code.some(file => imported.has(file))
  }
  const unit = new Set(filesOfKind(tests, 'unit'))
  return tests.filter(test => unit.has(test) || packages.has(packageOf(test)) || affectsStack(test) || imports(test))
}

/** Returns which tests of the stack a change in these packages affects. */
function stackTestsOf(packages: readonly (string | undefined)[]): (test: string) => boolean {
  const names = packages.filter(name => name !== undefined)
  const isService = (name: string) => name.startsWith('services/')
  const few = new Set([
    ...(names.some(isService) ? [paymentTest] : []),
    ...names.flatMap(name => pageTests[name] ?? []),
  ])
  const isAll = packages.length > names.length || names.some(name => !isService(name) && !pageTests[name])
  return test => few.has(test) || (isAll && test.endsWith('.atest.ts'))
}
