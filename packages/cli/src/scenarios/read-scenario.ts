import { LineCounter, type Node, parseDocument, stringify } from 'yaml'
import { isRecord } from '../methods/field-values.ts'
import { CommandError } from '../output/failures.ts'
import { checkStep } from './check-step.ts'
import { type Step, scenarioVersion } from './steps.ts'

/** Prints a scenario as a file that can be changed and run. */
export function scenarioFile(steps: readonly Step[]): string {
  // Two steps may have the same parts, which are printed twice then.
  return stringify({ cobro: scenarioVersion, steps }, { aliasDuplicateObjects: false })
}

/**
 * Reads a scenario file. An error names the line or the step, and unknown keys are errors, so that a mistake does not change
 * what is run.
 */
export function readScenario(text: string): Step[] {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const [problem] = document.errors
  if (problem) throw new CommandError(`Line ${lines.linePos(problem.pos[0]).line}: ${problem.message}`)
  const file: unknown = document.toJS()
  if (!isRecord(file) || file.cobro !== scenarioVersion) {
    throw new CommandError('A scenario file starts with the line "cobro: 1".')
  }
  const other = Object.keys(file).find(key => key !== 'cobro' && key !== 'steps')
  if (other !== undefined) throw new CommandError(`A scenario file has cobro and steps, and no ${other}.`)
  if (!Array.isArray(file.steps) || file.steps.length === 0)
    throw new CommandError('A scenario file has a list of steps.')
  const ids = new Set<string>()
  return file.steps.map((step: unknown, at) => {
    const node = document.getIn(['steps', at], true) as Node | undefined
    const line = node?.range ? ` (line ${lines.linePos(node.range[0]).line})` : ''
    try {
      return checkStep(step, ids)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      const { message, exitCode, hint } = error
      throw new CommandError(`Step ${at + 1}${line}: ${message}`, { exitCode, ...(hint !== undefined && { hint }) })
    }
  })
}
