import { selectSteps } from './test-steps.ts'

const names = (selection: Partial<Parameters<typeof selectSteps>[0]>) =>
  selectSteps({ only: [], filters: [], long: false, ...selection }).map(step => step.name)

describe('selectSteps', () => {
  test('selectSteps returns all steps without arguments', () => {
    const all = ['lint', 'generated', 'description', 'types', 'unit', 'integration', 'acceptance', 'timed']
    expect(names({})).toEqual(all)
  })

  test('selectSteps returns the steps named by --only, in the usual order', () => {
    expect(names({ only: ['unit', 'lint'] })).toEqual(['lint', 'unit'])
  })

  test('selectSteps drops the steps that a package filter does not apply to', () => {
    expect(names({ filters: ['@cobro/checkout'] })).toEqual(['types', 'unit', 'integration'])
    expect(names({ filters: ['@cobro/acceptance'] }).slice(3)).toEqual(['acceptance', 'timed'])
  })
})
