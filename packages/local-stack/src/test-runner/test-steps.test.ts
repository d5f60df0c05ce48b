import { selectSteps } from './test-steps.ts'

const names = (selection: Partial<Parameters<typeof selectSteps>[0]>) =>
  selectSteps({ only: [], filters: [], long: false, ...selection }).map(step => step.name)

describe('the steps of a test run', () => {
  test('are all of them unless something is said', () => {
    const all = ['lint', 'generated', 'description', 'types', 'unit', 'integration', 'acceptance', 'timed']
    expect(names({})).toEqual(all)
  })

  test('are those that are named', () => {
    expect(names({ only: ['unit', 'lint'] })).toEqual(['lint', 'unit'])
  })

  test('leave out what a filter of packages does not touch', () => {
    expect(names({ filters: ['@cobro/checkout'] })).toEqual(['types', 'unit', 'integration'])
    expect(names({ filters: ['@cobro/acceptance'] }).slice(3)).toEqual(['acceptance', 'timed'])
  })
})
