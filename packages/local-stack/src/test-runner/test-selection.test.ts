import { readSelection } from './test-selection.ts'

const files = [
  'packages/http/src/a.test.ts',
  'services/checkout/test/b.itest.ts',
  'packages/acceptance/test/c.atest.ts',
  'packages/acceptance/test/d.ftest.ts',
  'packages/acceptance/test/e.ltest.ts',
]
const select = (...args: string[]) =>
  readSelection(args, { files, affected: all => all.filter(file => file.includes('checkout')) })
const names = (...args: string[]) => select(...args).steps.map(step => step.name)
const checks = ['lint', 'generated', 'description', 'types', 'advisories']

describe('readSelection', () => {
  test('readSelection returns everything but faults and load without arguments', () => {
    expect(names()).toEqual([...checks, 'unit', 'integration', 'acceptance'])
  })

  test('readSelection returns everything with --long, and only faults and load with --faults', () => {
    expect(names('--long')).toEqual([...checks, 'unit', 'integration', 'acceptance', 'faults', 'load', 'mutation'])
    expect(names('--faults')).toEqual(['faults', 'load'])
  })

  test('readSelection returns the steps of --only', () => {
    expect(names('--only', 'unit', '--only', 'lint')).toEqual(['lint', 'unit'])
  })

  test('readSelection drops the checks if files or tests are selected', () => {
    expect(names('--filter', '@cobro/acceptance')).toEqual(['acceptance', 'faults', 'load'])
    expect(names('--test', 'pays')).toEqual(['unit', 'integration', 'acceptance', 'faults', 'load'])
    expect(names('--repeat', '2')).toEqual(['unit', 'integration', 'acceptance', 'faults', 'load'])
  })

  test('readSelection adds the generator to the tests with --coverage', () => {
    expect(names('--coverage')).toEqual(['generated', 'unit', 'integration', 'acceptance', 'faults', 'load'])
    expect(names('--coverage', '--filter', 'd.ftest')).toEqual(['faults'])
  })

  test('readSelection keeps the checks with --changed, and selects the tests that the change affects', () => {
    expect(names('--changed')).toEqual([...checks, 'integration'])
  })

  test.each([
    [['--only', 'e2e'], 'Unknown step e2e'],
    [['--filter', 'nothing'], 'No test file matches nothing.'],
    [['--only', 'unit', '--filter', 'd.ftest'], 'No test file belongs to these steps.'],
    [['--repeat', 'often'], '--repeat often: expected a number.'],
    [['--fast'], 'Options of npm test -- are'],
  ])('readSelection rejects %j with the reason', (args, reason) => {
    expect(() => select(...args)).toThrow(reason)
  })
})
