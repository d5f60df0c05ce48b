import { stepNames, stepsOf } from './test-steps.ts'

const files = ['packages/a/src/b.test.ts', 'services/c/test/d.itest.ts']

describe('stepsOf', () => {
  test('stepsOf returns the steps in the usual order', () => {
    expect(stepsOf(['unit', 'lint'], files).map(step => step.name)).toEqual(['lint', 'unit'])
  })

  test('stepsOf gives each kind of tests its files and leaves out kinds without a file', () => {
    const steps = stepsOf(stepNames, files)
    const checks = ['lint', 'generated', 'description', 'types', 'advisories']
    expect(steps.map(step => step.name)).toEqual([...checks, 'unit', 'integration', 'mutation'])
    expect(steps.find(step => step.name === 'integration')).toMatchObject({
      kind: 'tests',
      files: ['services/c/test/d.itest.ts'],
      needs: { servers: true },
    })
  })
})
